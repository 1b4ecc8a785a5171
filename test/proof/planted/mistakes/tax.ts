// Mistakes in the tax records, which the chain of balances tells of, and transfers of which one side is silent.
import type { Account } from '../../../../sandbox/core/accounts.ts'
import { DAY_MS } from '../../../../sandbox/core/clock.ts'
import { money, text } from '../../../../sandbox/core/money.ts'
import type { Random } from '../../../../sandbox/core/random.ts'
import type { P2pRecord, TaxRecord } from '../../../../sandbox/core/records.ts'
import type { Venue } from '../../../../sandbox/core/venue.ts'
import { type Day, expect, type Mistake } from '../mistake.ts'
import { byId, type Chosen, nextId, ofRecord, raised, replace, within } from '../rows.ts'

/** All records of a coin, in their order: the chain of its balance. */
const chainOf = (account: Account, coin: string): TaxRecord[] =>
  [...account.taxRecords.values()]
    .flatMap((feed) => [...feed])
    .filter((row) => row.coin === coin)
    .sort(byId)

interface Link extends Chosen<TaxRecord> {
  readonly before: TaxRecord
  readonly after: TaxRecord
}

/** A tax record of that day that moves something and stands between two others of its coin. */
function taxRecord(
  account: Account,
  day: Day,
  random: Random,
  fits: (row: TaxRecord) => boolean = () => true,
): Link | null {
  const all = [...account.taxRecords.values()].flatMap((feed) =>
    [...feed]
      .filter((row) => within(Number(row.ts), day) && row.amount !== '0' && fits(row))
      .flatMap((row) => {
        const chain = chainOf(account, row.coin)
        const at = chain.indexOf(row)
        const [before, after] = [chain[at - 1], chain[at + 1]]
        // Neighbours of the same day are no other mistake's.
        const isNear = (one: TaxRecord | undefined): one is TaxRecord =>
          one !== undefined && within(Number(one.ts), day)
        return isNear(before) && isNear(after) ? [{ feed, row, before, after }] : []
      }),
  )
  return all.length === 0 ? null : random.pick(all)
}

export const taxMistakes: readonly Mistake[] = [
  {
    name: 'a tax record is dropped',
    account: 'sub-1',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [], ofRecord)
      return expect('balance_chain', account, found.before.id, found.after.id)
    },
  },
  {
    name: 'a tax record comes again under another id',
    account: 'sub-1',
    plant: (venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      const again = { ...found.row, id: nextId(venue, found.row.id) }
      replace(found, [found.row, again], ofRecord)
      return expect('balance_chain', account, found.row.id, again.id)
    },
  },
  {
    name: 'an amount is wrong',
    account: 'sub-2',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [{ ...found.row, amount: raised(found.row.amount) }], ofRecord)
      return expect('balance_chain', account, found.before.id, found.row.id)
    },
  },
  {
    name: 'a fee has the wrong sign',
    account: 'sub-2',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random, ({ fee }) => fee !== '0')
      if (found === null) return null
      replace(found, [{ ...found.row, fee: text(-money(found.row.fee)) }], ofRecord)
      return expect('balance_chain', account, found.before.id, found.row.id)
    },
  },
  {
    name: 'a type is renamed',
    account: 'sub-2',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [{ ...found.row, type: 'SOMETHING_UNHEARD_OF' }], ofRecord)
      return expect('unknown_type', account, found.row.id)
    },
  },
  {
    name: 'a tax record is repeated unchanged, which is not a mistake',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = taxRecord(account, day, random)
      if (found === null) return null
      replace(found, [found.row, found.row], ofRecord)
      return expect('', account)
    },
  },
  {
    name: 'a transfer to a sub-account is reported only by the sub-account',
    account: 'parent',
    isOfAnyDay: true,
    plant: (venue, account, _day, random) => {
      const sub = venue.named('sub-2')
      const { from, to } = inner(venue)
      const found = taxRecord(account, { from, to }, random, (row) => twinIn(sub, row) !== undefined)
      const twin = found === null ? undefined : twinIn(sub, found.row)
      if (found === null || twin === undefined) return null
      forget(account, found)
      return expect('transfer_legs', sub, `tax.records/${twin.id}/amount`)
    },
  },
  {
    name: 'a transfer to the P2P wallet is reported only by that wallet',
    account: 'parent',
    isOfAnyDay: true,
    plant: (venue, account, _day, random) => {
      const found = taxRecord(account, inner(venue), random, (row) => p2pTwin(account, row) !== undefined)
      const twin = found === null ? undefined : p2pTwin(account, found.row)
      if (found === null || twin === undefined) return null
      forget(account, found)
      return expect('transfer_legs', account, `tax.p2pRecords/${twin.id}/amount`)
    },
  },
]

/** The history without its first and last two days, at which nothing is compared. */
const inner = (venue: Venue): Day => ({ from: venue.startMs + 2 * DAY_MS, to: venue.endMs - 2 * DAY_MS })

/** The two legs of a transfer lie up to 57 ms apart. */
const areTogether = (one: { readonly ts: string }, other: { readonly ts: string }): boolean =>
  Math.abs(Number(one.ts) - Number(other.ts)) <= 57

const twinIn = (account: Account, row: TaxRecord): TaxRecord | undefined =>
  row.type === 'TRANSFER_OUT'
    ? account.taxRecords
        .get('SPOT')
        ?.find(
          (each) =>
            each.type === 'TRANSFER_IN' &&
            areTogether(each, row) &&
            each.coin === row.coin &&
            money(each.amount) === -money(row.amount),
        )
    : undefined

const p2pTwin = ({ p2pRecords }: Account, row: TaxRecord): P2pRecord | undefined =>
  row.type === 'TRANSFER_OUT' || row.type === 'TRANSFER_IN'
    ? p2pRecords.find(
        (each) =>
          each.p2pTaxType === (row.type === 'TRANSFER_OUT' ? 'transfer_in' : 'transfer_out') &&
          areTogether(each, row) &&
          each.coin === row.coin &&
          each.balance === row.amount.replace('-', ''),
      )
    : undefined

/** Drops a record as if it had never been: the balances after it do not know it either. */
function forget(account: Account, found: Chosen<TaxRecord>): void {
  const { row } = found
  replace(found, [], ofRecord)
  const change = money(row.amount) + money(row.fee)
  for (const feed of account.taxRecords.values()) {
    feed.rewrite((each) =>
      each.coin === row.coin && BigInt(each.id) > BigInt(row.id)
        ? [{ ...ofRecord(each), row: { ...each, balance: text(money(each.balance) - change) } }]
        : undefined,
    )
  }
}
