// What a return has in no figure, and says so: amounts by coin, by hand.
import { expect, test } from 'vitest'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { makeReport } from '../../pipeline/reports/catalogue.ts'
import { account, futures as entry, publish } from './books.ts'

const at = '2025-06-01 00:00:00'

async function unfiled(...entries: string[]): Promise<string[]> {
  const ledger = await openLedger(await publish([account('main'), ...entries]))
  try {
    const { notes } = await makeReport(ledger, 'taxes', { rules: 'us', year: 2025 })
    return notes.flatMap((note) =>
      /^(Paid, but|What liquidations)/.test(note) ? [note.replace(/ \(`report pnl`.*$/, '')] : [],
    )
  } finally {
    ledger.close()
  }
}

test('fees that belong to no trade and interest that was paid are named, and what liquidations took or made good', async () => {
  expect(
    await unfiled(
      // Of futures, which have a section of their own.
      entry('1', at, 'USDT-FUTURES', 'BTCUSDT', 'USDT', '10', 'realised_pnl'),
      entry('2', at, 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
      entry('3', at, 'SPOT', null, 'BTC', '-0.3', 'fee'),
      entry('4', at, 'SPOT', null, 'BTC', '0.1', 'fee'),
      // More was given back than paid.
      entry('5', at, 'SPOT', null, 'ETH', '0.4', 'fee'),
      // What was received does not reduce what was paid.
      entry('6', at, 'MARGIN-crossed', null, 'USDT', '-0.25', 'interest'),
      entry('7', at, 'SPOT', null, 'USDT', '2', 'interest'),
      entry('8', at, 'MARGIN-crossed', null, 'USDT', '-3', 'liquidation'),
      entry('9', at, 'MARGIN-crossed', null, 'BTC', '0.5', 'liquidation'),
      // Of another year.
      entry('10', '2026-01-01 00:00:00', 'SPOT', null, 'BTC', '-7', 'fee'),
    ),
  ).toEqual([
    'Paid, but not included as a cost in any figure of the return: fees that belong to no trade, 0.2 BTC; interest, 0.25 USDT',
    'What liquidations outside futures took or made good is not included in any figure of the return: 0.5 BTC, -3 USDT',
  ])
})

test('if there is nothing of the kind, nothing is said', async () => {
  expect(
    await unfiled(
      entry('1', at, 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-10', 'realised_pnl'),
      entry('2', at, 'USDT-FUTURES', 'BTCUSDT', 'USDT', '-1', 'fee'),
      entry('3', at, 'SPOT', null, 'USDT', '2', 'interest'),
    ),
  ).toEqual([])
})
