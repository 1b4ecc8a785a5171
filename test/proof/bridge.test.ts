// The bridge over seeded histories: what each account is worth follows from the month before, to the last digit, for every
// account and month, in two currencies. TIEOUT_BRIDGE_SEEDS runs more of them than the one that always runs.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from '../../sandbox/index.ts'
import { daysAgo } from '../support/days-ago.ts'
import { command } from '../support/in-process.ts'
import { configureBooks } from '../support/sandbox-books.ts'

const SPEED = 1_000
const DAYS = 70
const SEEDS = Number(process.env.TIEOUT_BRIDGE_SEEDS ?? 1)

/** Months that are known whole, those that do not close, and those of which something is unknown. */
async function bridged(dir: string): Promise<unknown> {
  const query = `
    with months as (select *, unknown_events = 0 and unpriced_coins = 0 as is_known from value_bridge)
    select count(*) filter (is_known) > 10 as has_many, count(*) filter (not is_known)::integer as unknown,
      coalesce(list(account || ' ' || month || ': ' || difference order by account, month)
        filter (is_known and difference <> 0), []) as open,
      (select count(*)::integer from net_worth join value_bridge using (account)
        where net_worth.day = (select max(day) from net_worth)
          and value_bridge.month = date_trunc('month', net_worth.day) and closing_value <> value) as other_worth
    from months`
  return JSON.parse((await command(['sql', query, '--format', 'json', '--dir', dir])).stdout)[0]
}

const CLOSED = { has_many: true, unknown: 0, open: [], other_worth: 0 }

for (const seed of Array.from({ length: SEEDS }, (_, index) => index + 1)) {
  test(`seed ${seed}: closes in euros, under us, and in tether`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'tieout-bridge-'))
    const sandbox = await startSandbox({ seed, days: DAYS, speed: SPEED })
    const since = daysAgo(DAYS + 10)
    try {
      await configureBooks(dir, sandbox, { speed: SPEED, since })
      const config = join(dir, 'tieout.yaml')
      const shipped = readFileSync(config, 'utf8')
      appendFileSync(config, 'reports: { currency: EUR }\n')
      expect([0, 3]).toContain((await command(['nightly', '--dir', dir])).code)
      const worksheet = join(dir, 'worksheet.csv')
      await command(['worksheet', '--out', worksheet, '--dir', dir])
      expect((await command(['import', 'lots', worksheet, '--dir', dir])).code).toBe(0)
      expect(await bridged(dir)).toEqual(CLOSED)

      // Under us fees of exchanges stand on the other side.
      for (const reports of ['currency: EUR, rules: us, scope: account', 'currency: USDT']) {
        writeFileSync(config, `${shipped}reports: { ${reports} }\n`)
        expect([0, 3]).toContain((await command(['build', '--dir', dir])).code)
        expect(await bridged(dir)).toEqual(CLOSED)
      }
    } finally {
      await sandbox.close()
      rmSync(dir, { recursive: true, force: true })
    }
  }, 1_800_000)
}
