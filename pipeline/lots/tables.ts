// The tables that the lots engine writes: each column once, with its type and its meaning. Table definitions
// and comments are derived from here. Names of `disposals` and `lots` are the contract's.
import { oneOfThese } from '../../models/text.ts'
import { methods } from './engine.ts'

export interface TableColumn {
  readonly type: 'VARCHAR' | 'TIMESTAMPTZ' | 'AMOUNT' | 'BIGINT' | 'BOOLEAN'
  readonly doc: string
}

export interface LotTable {
  readonly doc: string
  readonly columns: Readonly<Record<string, TableColumn>>
}

const text = (doc: string): TableColumn => ({ type: 'VARCHAR', doc })
const time = (doc: string): TableColumn => ({ type: 'TIMESTAMPTZ', doc })
const amount = (doc: string): TableColumn => ({ type: 'AMOUNT', doc })
const whole = (doc: string): TableColumn => ({ type: 'BIGINT', doc })
const flag = (doc: string): TableColumn => ({ type: 'BOOLEAN', doc })

const method = text(`Method that matched: ${oneOfThese(methods)}.`)
const currency = text('Currency of every amount of money in the row; null while no event has a value.')
const acquiredAt = time('When the lot was acquired, UTC; null for a pool and if unknown.')
const lotId = text('Id of the acquisition; null for a pool.')
const basis = text(
  'known; unvalued (the cost of the lot is not known); missing (no lot is known: more was disposed of than the history accounts for).',
)

export const lotTables = {
  disposals: {
    doc: 'One matched piece of one disposal. The pieces of one disposal_id and coin sum exactly to what was disposed of: one row of the books may dispose of several coins, such as a sale with its fee in another coin, or a conversion. A coin that pays a fee, funding, interest or a futures loss is disposed of too; the `kind` of the entry that disposal_id names distinguishes these from sales. Closed sales of borrowed coins are included (short_sales has all of them).\ngrain: one row per piece of a disposal and lot\nkeys:  pieces of one disposal share disposal_id, over all its coins; lot_id is that of the lot it was matched with',
    columns: {
      account: text('Account that disposed; for a day merged across all accounts, that of its first sale.'),
      coin: text('Coin disposed of.'),
      method,
      rules: text('Rules of the matching: generic, or those of a country.'),
      disposed_at: time(
        'When it was disposed of, UTC; for a merged day, the time of its first sale; for a short sale, when it was closed, unless the rules count the sale itself.',
      ),
      acquired_at: acquiredAt,
      quantity: amount('Quantity of the piece, in units of the coin.'),
      proceeds: amount('Share of the proceeds after fees; null if no value is known.'),
      cost_basis: amount('Cost including fees; null, never zero, if it is not known.'),
      denied_loss: amount('Part of a loss that the rules disallow; otherwise null.'),
      gain: amount('Proceeds − cost basis + denied loss; null if proceeds or cost are not known.'),
      currency,
      holding_days: whole(
        'Days held, from date to date in the zone of the rules (UTC unless they state otherwise); null without a date, or if the purchase came later.',
      ),
      term: text(
        'short or long under rules that distinguish terms; null under all other rules, and without a date.',
      ),
      disposal_id: text(
        'Id of the disposing row, the same for every coin that it disposes of; for a merged day, that of its first sale.',
      ),
      lot_id: text('Id of the acquisition; null for a pool and if no lot is known.'),
      fees: amount(
        'Share of the fees of the disposal that the proceeds are already net of: proceeds + fees is what it brought before its fees. Zero without fees, and for a rebate, which is part of the proceeds; null if the proceeds are.',
      ),
    },
  },
  lots: {
    doc: 'Open lots: what is left of each acquisition, or of each pool.\ngrain: one row per account, coin and piece of an open lot: a lot that was moved in parts has a row for each\nkeys:  none; the rows of one lot share lot_id, in one account or in several; it is null for a pool, of which each account and coin has one',
    columns: {
      account: text(
        'Account that holds the lot, or account/before for imported history of an account that the venue reports, if it is not carried over to its books; under universal scope, where it was acquired, and null for a pool.',
      ),
      coin: text('Coin held.'),
      method,
      acquired_at: acquiredAt,
      quantity_left: amount('Quantity left, in units of the coin.'),
      cost_basis_left: amount('Cost of what is left; null if it is not known.'),
      currency,
      lot_id: lotId,
    },
  },
  unknown_basis: {
    doc: 'What left an account without a known cost. Lots left + borrowed coins on hand − quantity = the balance, for each account and coin; under universal scope, for each coin. What is listed under account/before (see lots), or is in a pool from there, is in no balance.\ngrain: one row per account and coin\nkeys:  account, coin unique',
    columns: {
      account: text('Account that disposed or sent.'),
      coin: text('Coin in question.'),
      quantity: amount(
        'Quantity disposed of or sent on beyond all known lots: the missing history, or borrowed coins that were sent on.',
      ),
      unvalued_quantity: amount('Quantity disposed of from lots whose cost is not known.'),
      disposals: whole('Number of disposals affected.'),
    },
  },
  lot_transfers: {
    doc: 'One piece of a lot that left an account by a transfer or as a gift, with its basis and date.\ngrain: one row per piece of a transfer and lot\nkeys:  pieces of one transfer share transfer_id',
    columns: {
      coin: text('Coin moved.'),
      method,
      transfer_id: text('Id of the outgoing row.'),
      moved_at: time('When it left, UTC.'),
      from_account: text('Account that it left, or account/before: see lots.'),
      to_account: text('Account that it reached; null for a gift, and if no arrival is known.'),
      acquired_at: acquiredAt,
      quantity: amount('Quantity of the piece, in units of the coin.'),
      cost_basis: amount('Cost carried over; null if it is not known.'),
      currency,
      lot_id: text('Id of the acquisition; null for a pool and if no lot is known.'),
      basis,
    },
  },
  short_sales: {
    doc: 'Sales of borrowed coins, in the pieces in which they were closed: by buying the coin back, or by repaying with own lots. Open pieces have no closing. Closed pieces are in disposals too, with the same gain (that of a repayment with own lots is only there): adding the gains of both tables counts them twice.\ngrain: one row per sale and what closed a part of it\nkeys:  coin, sale_id and closing_id',
    columns: {
      account: text('Account that borrowed and sold.'),
      coin: text('Coin sold.'),
      sold_at: time('When it was sold, UTC.'),
      quantity: amount('Quantity of the piece, in units of the coin.'),
      proceeds: amount('Share of the proceeds after fees; null if no value is known.'),
      closed_at: time('When it was closed, UTC; null while it is open.'),
      cost_basis: amount(
        'Cost of buying it back, including fees; null while it is open, if that is not known, and if own lots were repaid: their pieces are disposals under closing_id.',
      ),
      gain: amount('Proceeds − cost basis; null if either is null.'),
      currency,
      sale_id: text('Id of the row that sold.'),
      closing_id: text('Id of the purchase or repayment that closed it; null while it is open.'),
    },
  },
  borrowed_coins: {
    doc: 'Borrowed coins that an account still holds: they are not lots, and are sold first, or last under the rules uk.\ngrain: one row per account and coin\nkeys:  account, coin unique',
    columns: {
      account: text('Account that borrowed.'),
      coin: text('Coin borrowed.'),
      quantity: amount(
        'Quantity neither sold nor repaid, in units of the coin. What was sent on is included, and in unknown_basis as well.',
      ),
    },
  },
  lot_problems: {
    doc: 'Inconsistent events, for the checks.\ngrain: one row per problem\nkeys:  problem, event_id and lot_id',
    columns: {
      problem: text(
        'transfer without its second leg, transfer without its first leg, more arrived than left, selected lot not held, selected lot not needed (the law requires a withheld fee to be paid from the coins it was withheld from), allotted lot not held, or quantity not above zero.',
      ),
      account: text('Account of the event.'),
      coin: text('Coin of the event.'),
      happened_at: time('When it happened, UTC.'),
      event_id: text('Id of the event.'),
      lot_id: text('Lot in question; null if there is none.'),
      quantity: amount('Quantity in question, in units of the coin.'),
    },
  },
} as const satisfies Record<string, LotTable>

/** How the tables above were matched; one row. */
export const matchingTable = {
  doc: 'How the published lots and disposals were matched: according to the configuration when they were built. One row.\ngrain: one row\nkeys:  none: there is one row',
  columns: {
    method: text('Method, or a sequence by tax year: fifo, hifo from 2025.'),
    scope: text('account or universal, or a sequence by tax year: universal, account from 2025.'),
    rules: text('Rules of the matching: generic, or those of a country.'),
    time_zone: text('Zone whose days count, by its IANA name.'),
    fees_in_kind: text(
      'How a fee in the acquired coin is treated: disposal, or net if it counts as never acquired.',
    ),
    exchange_fees_given_from: time(
      'From when on the fee of an exchange of two coins belongs to the coin given (value_given of lot_events), UTC; null if never.',
    ),
    exchange_fees_shared: flag(
      'Whether half of the fee of an exchange of two coins belongs to each of them (value_shared of lot_events). If neither this nor the column before applies, the fee belongs to the base.',
    ),
  },
} as const satisfies LotTable

export const MATCHING_TABLE = 'lot_matching'

export type LotTableName = keyof typeof lotTables

export const lotTableNames = Object.keys(lotTables) as LotTableName[]
