// Funding is stamped some seconds after its hour. A position opened in between may have taken part or not.
import { expect, test } from 'vitest'
import { runModels } from '../support/one-model.ts'

const hour = '2026-02-15 08:00:00+00'

test('a position opened between an hour and the stamp of its funding agrees with and without that funding', async () => {
  const entry = (id: string, kind: string, amount: string, ts: string): string[] => [
    ...['main', 'COIN-FUTURES', 'BTCUSD', 'BTC', kind, amount, ts, id, id, 'tax.futuresRecords', kind],
  ]
  const position = (side: string, funding: string): string[] => [
    ...['main', 'COIN-FUTURES', 'BTCUSD', 'BTC', side, 'hedge_mode', '2026-02-15 08:00:05+00'],
    ...['2026-02-15 08:00:05+00', '0', funding, '0.1', '1', '1', '0'],
    ...['2026-02-15 20:00:00+00', '2026-02-15 20:00:00+00', '2026-02-15 20:00:00+00', 'true', '1'],
  ]
  const sumsOf = async (funding: string) => {
    const [, sums = []] = await runModels(['staging.compared_position_moves', 'staging.position_sums'], {
      'main.entries': {
        columns: `account varchar, product_line varchar, symbol varchar, coin varchar, kind varchar, amount decimal(38, 18),
          occurred_at timestamptz, place bigint, entry_id varchar, source_feed varchar, type varchar`,
        rows: [
          // Of the hour before, stamped before the position was opened.
          entry('1', 'funding', '5', '2026-02-15 08:00:04+00'),
          entry('2', 'fee', '-0.1', '2026-02-15 08:00:05+00'),
          entry('3', 'funding', '-2', '2026-02-15 08:00:13+00'),
          entry('4', 'funding', '4', '2026-02-15 16:00:12+00'),
        ],
      },
      'staging.types': {
        columns: 'feed varchar, type varchar, side varchar, doubt varchar, is_side_known boolean',
        rows: [
          ['tax.futuresRecords', 'funding', '', '', 'false'],
          ['tax.futuresRecords', 'fee', 'long', '', 'true'],
        ],
      },
      'staging.compared_positions': {
        columns: `account varchar, line varchar, symbol varchar, coin varchar, hold_side varchar, pos_mode varchar,
          opened_at timestamptz, changed_at timestamptz, achieved_profits decimal(38, 18), funding decimal(38, 18),
          fees decimal(38, 18), total decimal(38, 18), page_id bigint, page_row integer, read_at timestamptz,
          known_until timestamptz, compared_at timestamptz, is_funding_comparable boolean, newest bigint`,
        rows: [position('long', funding)],
      },
      'staging.futures_stretches': {
        columns: `account varchar, line varchar, symbol varchar, coin varchar, hold_side varchar, begins_at timestamptz,
          turned_at timestamptz`,
        rows: [],
      },
      'landing.positions': {
        columns:
          'account varchar, partition varchar, symbol varchar, margin_coin varchar, hold_side varchar, page_id bigint',
        rows: [],
      },
      'staging.reading_times': { columns: 'page_id bigint, read_at timestamptz', rows: [['1', hour]] },
    })
    return sums.map(({ funding: reported, our_funding }) => [reported, our_funding])
  }
  // With the funding of eight o'clock, without it, and with something else.
  expect(await sumsOf('2')).toEqual([['2', '2']])
  expect(await sumsOf('4')).toEqual([['4', '4']])
  expect(await sumsOf('9')).toEqual([['9', '4']])
  // The sign is not documented.
  expect(await sumsOf('-2')).toEqual([['-2', '2']])
})
