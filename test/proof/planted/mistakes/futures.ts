// Mistakes in the futures records.
import { money, text } from '../../../../sandbox/core/money.ts'
import type { FuturesRecord } from '../../../../sandbox/core/records.ts'
import { expect, type Mistake } from '../mistake.ts'
import { byId, nextId, ofRecord, pickFrom, replace, within } from '../rows.ts'

export const futuresMistakes: readonly Mistake[] = [
  {
    name: 'a record is missing from the futures feed',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom(
        account.futuresRecords.values(),
        random,
        (row: FuturesRecord) => within(Number(row.ts), day) && row.fee !== '0',
      )
      if (found === null) return null
      replace(found, [], ofRecord)
      const booked = [...account.taxRecords.values()]
        .flatMap((feed) => [...feed])
        .filter(
          (row) => row.ts === found.row.ts && row.amount === found.row.amount && row.fee === found.row.fee,
        )
      // Equal records are paired in their order, so that the last of them stays alone.
      const alone = booked.sort(byId).at(-1)
      return expect('futures_v3_v2', account, `tax.records/${alone?.id}`)
    },
  },
  {
    name: 'a fee of a classic account, whose records have no balances, is wrong',
    account: 'classic',
    isOfAnyDay: true,
    plant: (_venue, account, _day, random) => {
      const found = pickFrom(account.futuresRecords.values(), random, (row: FuturesRecord) =>
        account.positions.some(
          ({ symbol, openedMs }) => symbol === row.symbol && openedMs === Number(row.ts),
        ),
      )
      if (found === null) return null
      replace(found, [{ ...found.row, fee: text(money(found.row.fee) * 2n) }], ofRecord)
      return expect('positions', account, `tax.futuresRecords/${found.row.id}/fee`)
    },
  },
  {
    name: 'a funding record of a classic account is repeated under another id',
    account: 'classic',
    plant: (venue, account, day, random) => {
      const found = pickFrom(
        account.futuresRecords.values(),
        random,
        (row: FuturesRecord) =>
          within(Number(row.ts), day) &&
          row.futureTaxType.startsWith('CONTRACT_MAIN_SETTLE_FEE') &&
          money(row.amount) !== 0n,
      )
      if (found === null) return null
      const again = { ...found.row, id: nextId(venue, found.row.id) }
      replace(found, [found.row, again], ofRecord)
      return expect('duplicate_records', account, found.row.id, again.id)
    },
  },
]
