// The tables that the lots engine writes: each column once, with its type and its meaning.
// Definition and comments follow from here. Names of `disposals` and `lots` are the contract's.
import { oneOfThese } from '../../models/text.ts'
import { methods } from './engine.ts'

export interface TableColumn {
  readonly type: 'VARCHAR' | 'TIMESTAMPTZ' | 'AMOUNT' | 'BIGINT'
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

const method = text(`Method that matched: ${oneOfThese(methods)}.`)
const currency = text('Currency of every amount of money in the row; null while no event has a value.')
const acquiredAt = time('When the lot was acquired, UTC; null for a pool and where nobody knows.')
const lotId = text('Id of the acquisition; null for a pool.')
const basis = text(
  'known; unvalued (the cost of the lot is not known); missing (no lot is known: more left than the history tells).',
)

export const lotTables = {
  disposals: {
    doc: 'One matched piece of one disposal. The pieces of one disposal_id and coin sum exactly to what was disposed of: one row of the books may dispose of several coins, as a sale with its fee in another coin, or a conversion. A coin that pays a fee, funding, interest or a loss of futures is disposed of too: `kind` of the row of entries that disposal_id names tells those from sales. Of a sale of borrowed coins, those that are closed stand here (short_sales has all).\ngrain: one row per piece of a disposal and lot\nkeys:  pieces of one disposal share disposal_id, over all its coins; lot_id is that of the lot it was matched with',
    columns: {
      account: text('Account that disposed; of a day merged over all accounts, that of its first sale.'),
      coin: text('Coin disposed of.'),
      method,
      rules: text('Rules that the matching follows: generic, or those of a country.'),
      disposed_at: time(
        'When it was disposed of, UTC; of a merged day, its first sale; of a short sale, when it was closed, unless the rules count the sale itself.',
      ),
      acquired_at: acquiredAt,
      quantity: amount('Quantity of the piece, in units of the coin.'),
      proceeds: amount('Share of the proceeds after fees; null where no value is known.'),
      cost_basis: amount('Cost with fees; null, never zero, where it is not known.'),
      denied_loss: amount('What the rules disallow of a loss; null elsewhere.'),
      gain: amount('Proceeds − cost basis + denied loss; null where proceeds or cost are not known.'),
      currency,
      holding_days: whole(
        'Days held, from date to date where the rules count (UTC unless they say otherwise); null without a date, or where the purchase came later.',
      ),
      term: text(
        'short or long under rules whose law tells them apart; null under all other rules, and without a date.',
      ),
      disposal_id: text(
        'Id of the disposing row, of every coin that it disposes of; of a merged day, that of its first sale.',
      ),
      lot_id: text('Id of the acquisition; null for a pool and where no lot is known.'),
    },
  },
  lots: {
    doc: 'Open lots: what is left of each acquisition, or of each pool.\ngrain: one row per account, coin and open lot\nkeys:  lot_id; null for a pool, of which each account and coin has one',
    columns: {
      account: text(
        'Account that holds the lot, or account/before for what was imported of one that the venue reports and is not handed over to its books; over all accounts, where it was acquired, and null for a pool.',
      ),
      coin: text('Coin held.'),
      method,
      acquired_at: acquiredAt,
      quantity_left: amount('Quantity left, in units of the coin.'),
      cost_basis_left: amount('Cost of what is left; null where it is not known.'),
      currency,
      lot_id: lotId,
    },
  },
  unknown_basis: {
    doc: 'What left an account without a known cost. Lots left + borrowed coins on hand − quantity = the balance, for each account and coin; over all accounts, for each coin. What lies under account/before (see lots) is in no balance.\ngrain: one row per account and coin\nkeys:  account, coin unique',
    columns: {
      account: text('Account that disposed or sent.'),
      coin: text('Coin in question.'),
      quantity: amount('Disposed of or sent on beyond all known lots: the missing history.'),
      unvalued_quantity: amount('Disposed of from lots whose cost is not known.'),
      disposals: whole('How many disposals are concerned.'),
    },
  },
  lot_transfers: {
    doc: 'One piece of a lot that left an account by a transfer or as a gift, with its basis and its date.\ngrain: one row per piece of a transfer and lot\nkeys:  pieces of one transfer share transfer_id',
    columns: {
      coin: text('Coin moved.'),
      method,
      transfer_id: text('Id of the row that took it out.'),
      moved_at: time('When it left, UTC.'),
      from_account: text('Account that it left, or account/before: see lots.'),
      to_account: text('Account that it reached; null for a gift, and where no arrival is known.'),
      acquired_at: acquiredAt,
      quantity: amount('Quantity of the piece, in units of the coin.'),
      cost_basis: amount('Cost that moved along; null where it is not known.'),
      currency,
      lot_id: lotId,
      basis,
    },
  },
  short_sales: {
    doc: 'Sales of borrowed coins, in the pieces in which they were closed: by buying the coin again, or by giving back lots of one’s own. What is still open has no closing. What is closed stands in disposals too, with the same gain: the gains of both tables together count it twice.\ngrain: one row per sale and what closed a part of it\nkeys:  coin, sale_id and closing_id say which',
    columns: {
      account: text('Account that borrowed and sold.'),
      coin: text('Coin sold.'),
      sold_at: time('When it was sold, UTC.'),
      quantity: amount('Quantity of the piece, in units of the coin.'),
      proceeds: amount('Share of the proceeds after fees; null where no value is known.'),
      closed_at: time('When it was closed, UTC; null while it is open.'),
      cost_basis: amount(
        'What buying it again cost, with fees; null while it is open, where that is not known, and where lots of one’s own were given back: their pieces are disposals under closing_id.',
      ),
      gain: amount('Proceeds − cost basis; null where one of them is.'),
      currency,
      sale_id: text('Id of the row that sold.'),
      closing_id: text('Id of the purchase or repayment that closed it; null while it is open.'),
    },
  },
  borrowed_coins: {
    doc: 'Borrowed coins that an account still holds: they are no lots, and what it sells first, or under the rules uk last.\ngrain: one row per account and coin\nkeys:  account, coin unique',
    columns: {
      account: text('Account that borrowed.'),
      coin: text('Coin borrowed.'),
      quantity: amount('Quantity that is neither sold nor given back, in units of the coin.'),
    },
  },
  lot_problems: {
    doc: 'Events that do not hold together, for the checks.\ngrain: one row per problem\nkeys:  problem, event_id and lot_id say which',
    columns: {
      problem: text(
        'transfer without its second leg, transfer without its first leg, more arrived than left, selected lot not held, selected lot not needed (the law has the coins of which a fee was kept back pay it), allotted lot not held, or quantity not above zero.',
      ),
      account: text('Account of the event.'),
      coin: text('Coin of the event.'),
      happened_at: time('When it happened, UTC.'),
      event_id: text('Id of the event.'),
      lot_id: text('Lot in question; null where there is none.'),
      quantity: amount('Quantity in question, in units of the coin.'),
    },
  },
} as const satisfies Record<string, LotTable>

/** Of how the tables above were matched; one row. */
export const matchingTable = {
  doc: 'How the published lots and disposals were matched: as the configuration said when they were made. One row.\ngrain: one row\nkeys:  none: there is one row',
  columns: {
    method: text('Method, or one for each tax year on: fifo, hifo from 2025.'),
    scope: text('account or universal, or one for each tax year on: universal, account from 2025.'),
    rules: text('Rules that the matching follows: generic, or those of a country.'),
    time_zone: text('Zone whose days count, by its IANA name.'),
    fees_in_kind: text(
      'What becomes of a fee in the coin that is acquired: disposal, or net where it was never acquired.',
    ),
    exchange_fees_given_from: time(
      'From when on the fee of an exchange of two coins belongs to the one given (value_given of lot_events), UTC; null where it always belongs to the base.',
    ),
  },
} as const satisfies LotTable

export const MATCHING_TABLE = 'lot_matching'

export type LotTableName = keyof typeof lotTables

export const lotTableNames = Object.keys(lotTables) as LotTableName[]
