// The roll-forward of a coin: which of its movements stand in which column.
import { expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { allRows } from '../../pipeline/output/column.ts'
import { rollForward } from '../../pipeline/paper/movements.ts'
import { readPeriod } from '../../pipeline/reports/period.ts'
import { alterBook, publishBook } from '../exports/tools.ts'

const line = (id: string, amount: string, kind: string) => ({
  ...{ id, amount, kind, coin: 'USDT', at: '2026-01-05 00:00:00+00' },
})

/** Names of the columns, and the row of the only coin, of books with kinds of the user's own. */
async function rolled(kinds: string, ...lines: readonly ReturnType<typeof line>[]) {
  const dir = await publishBook(lines)
  await alterBook(dir, [`insert into kinds values ${kinds}`])
  const ledger = await openLedger(dir)
  try {
    const period = readPeriod({ from: '2026-01-01', to: '2026-01-31' })
    const { tables = [] } = await rollForward({
      ledger,
      request: { period, zone: 'UTC', lots: {}, lossesUnder: null },
    })
    const [table] = tables
    return {
      columns: table?.columns.map(({ name }) => name),
      rows: table === undefined ? [] : await allRows(table.rows),
    }
  } finally {
    ledger.close()
  }
}

test('what the user classifies as a cost is among the fees', async () => {
  const { columns, rows } = await rolled(
    "('card_fee', 'Expenses:Card', 'cost', 'Of a card')",
    line('1', '100', 'reward'),
    line('2', '-3', 'fee'),
    line('3', '-2', 'card_fee'),
    line('4', '-7', 'interest'),
  )
  expect(columns?.slice(-2)).toEqual(['fees', 'closing'])
  expect(rows).toEqual([['USDT', '0', '0', '100', '0', '7', '0', '5', '88']])
})

test('what the user classifies as an exchange is bought and sold, and as a move is a transfer', async () => {
  const { rows } = await rolled(
    `('block_trade', 'Equity:Block', 'exchange', 'A trade off the book'),
      ('card_sale', 'Equity:Card', 'fiat', 'Paid by card'), ('vault_move', 'Equity:Vault', 'move', 'To a vault')`,
    line('1', '100', 'block_trade'),
    line('2', '-40', 'card_sale'),
    line('3', '-7', 'vault_move'),
    line('4', '5', 'rebase'),
  )
  // Opening, bought, received, sold, given, transfers, fees, closing.
  expect(rows).toEqual([['USDT', '0', '100', '5', '40', '0', '-7', '0', '58']])
})
