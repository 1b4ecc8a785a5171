// Mistakes in P2P records and orders.
import type { Account } from '../../../../sandbox/core/accounts.ts'
import type { P2pOrder, P2pRecord } from '../../../../sandbox/core/records.ts'
import { type Day, expect, type Mistake } from '../mistake.ts'
import { nextId, ofP2pOrder, ofRecord, pickFrom, raised, replace, within } from '../rows.ts'

const isDeal = (day: Day) => (row: P2pRecord) =>
  within(Number(row.ts), day) && (row.p2pTaxType === 'buy' || row.p2pTaxType === 'sell')

export const p2pMistakes: readonly Mistake[] = [
  {
    name: 'a P2P purchase or sale is dropped',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, isDeal(day))
      const order = found === null ? undefined : dealOf(account, found.row)
      if (found === null || order === undefined) return null
      replace(found, [], ofRecord)
      return expect('p2p_match', account, `p2p.orders/${order.orderId}`)
    },
  },
  {
    name: 'a P2P purchase or sale reports a wrong quantity',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, isDeal(day))
      const order = found === null ? undefined : dealOf(account, found.row)
      if (found === null || order === undefined) return null
      replace(found, [{ ...found.row, balance: raised(found.row.balance) }], ofRecord)
      return expect(
        'p2p_match',
        account,
        `tax.p2pRecords/${found.row.id}/amount`,
        `p2p.orders/${order.orderId}`,
      )
    },
  },
  {
    name: 'a P2P record is repeated under another id',
    account: 'parent',
    plant: (venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, ({ ts }) => within(Number(ts), day))
      if (found === null) return null
      const again = { ...found.row, id: nextId(venue, found.row.id) }
      replace(found, [found.row, again], ofRecord)
      return expect('duplicate_records', account, found.row.id, again.id)
    },
  },
  {
    name: 'the status of a merchant order is renamed',
    account: 'parent',
    plant: (_venue, account, day, random) => {
      const found = pickFrom([account.p2pRecords], random, isDeal(day))
      const order = found === null ? undefined : dealOf(account, found.row)
      if (found === null || order === undefined) return null
      const renamed = { ...order, status: 'something_unheard_of' as P2pOrder['status'] }
      replace({ feed: account.p2pOrders, row: order }, [renamed], ofP2pOrder)
      return expect('p2p_match', account, `tax.p2pRecords/${found.row.id}/amount`)
    },
  },
]

/** The completed order of a purchase or sale, where no other one is like it. */
function dealOf({ p2pOrders }: Account, record: P2pRecord): P2pOrder | undefined {
  const like = [...p2pOrders].filter(
    ({ coin, side, count }) => coin === record.coin && side === record.p2pTaxType && count === record.balance,
  )
  const [found, other] = like
  return other === undefined && found?.status === 'Completed' ? found : undefined
}
