// An account that is nothing but a trader, neither merchant nor broker, agent or lending unit: what does not apply to it
// ends no night, and what is refused to it for another reason still does.
import { describe, expect, test } from 'vitest'
import { type Answer, askBooks, askLedger } from '../support/ask-ledger.ts'
import { fewAtOnce } from '../support/beside.ts'
import { daysAgo } from '../support/days-ago.ts'
import { command } from '../support/in-process.ts'
import { type Answers, excluded, refused, TRADER, traderBooks, traderVenue } from '../support/trader-venue.ts'

fewAtOnce()

const SINCE = `{ since: ${daysAgo(40)} }`

/** What the published ledger answers. */
async function ask(dir: string, query: string): Promise<Answer[]> {
  const [rows = []] = await askLedger(dir, [query])
  return rows
}

/** Code and the breaks of a night, one line each. */
async function night(dir: string): Promise<{ code: number | null; breaks: string[]; stderr: string }> {
  const run = await command(['nightly', '--dir', dir])
  const breaks = await ask(dir, "select * from breaks where status = 'open' order by check_name, severity")
  return {
    code: run.code,
    breaks: breaks.map((one) => `${one.severity} ${one.check_name}: ${one.explanation}`),
    stderr: run.code === 0 ? '' : run.stderr,
  }
}

const coverageWhere = (condition: string): string =>
  `select feed, partition, status, code from coverage where code is not null and ${condition} order by feed, partition`

const lines = (rows: readonly Answer[] = []): string[] =>
  rows.map(({ feed, partition, status, code }) => [feed, partition, status, code].join(' '))

const coverage = async (dir: string, condition = 'true'): Promise<string[]> =>
  lines(await ask(dir, coverageWhere(condition)))

/** A sync, and what it leaves of coverage and of the kinds of accounts; nothing is checked. */
async function synced(dir: string) {
  const { code, stderr } = await command(['sync', '--dir', dir])
  const [ranges, kinds] = await askBooks(dir, [coverageWhere('true'), 'select kind from accounts'])
  return { code, stderr, coverage: lines(ranges), kinds }
}

const QUIET = { code: 0, breaks: [], stderr: '' }

describe.concurrent('a night of a trader', () => {
  const STATUSES = [200, 400, 403]
  const OTHER_CODES: Answers = {
    ...excluded(400),
    '/api/v2/p2p/merchantInfo': () => refused('60005', 400),
    '/api/v2/p2p/orderList': () => refused('60049', 400),
    '/api/v3/ins-loan/ltv-convert': () => refused('25559', 400),
    '/api/v2/mix/account/sub-account-assets': () => refused('40048', 400),
  }
  /** Two nights of a trader for each way of refusing, accounts of the same books, and what is known of each after the first. */
  let nights: ReturnType<typeof nightsOfAll> | undefined
  async function nightsOfAll() {
    const ways = [...STATUSES.map(excluded), OTHER_CODES]
    const answers = Object.keys(OTHER_CODES).map(
      (path) => [path, (query: URLSearchParams, nth: number) => ways[nth - 1]![path]!(query, nth)] as const,
    )
    const venue = await traderVenue({ ...TRADER, ...Object.fromEntries(answers) })
    const names = [...STATUSES.map((status) => `http${status}`), 'others']
    const dir = traderBooks(venue.baseUrl, SINCE, '', names)
    const first = await night(dir)
    const known = await Promise.all(names.map((name) => coverage(dir, `account = '${name}'`)))
    return { first, known, next: await night(dir) }
  }
  const allNights = () => {
    nights ??= nightsOfAll()
    return nights
  }

  test.each(STATUSES)(
    'is complete without a break, and the next one too, when the venue refuses by HTTP %i',
    async (status) => {
      const { first, known, next } = await allNights()
      expect(first).toEqual(QUIET)
      expect(known[STATUSES.indexOf(status)]).toEqual([
        'broker.customerKyc  not_applicable 70231',
        'broker.customers  not_applicable 70102',
        'futures.subaccountAssets COIN-FUTURES not_applicable not asked',
        'futures.subaccountAssets USDC-FUTURES not_applicable not asked',
        'futures.subaccountAssets USDT-FUTURES not_applicable 40029',
        'loan.ltv  not_applicable 40099',
        'p2p.merchant  not_applicable 60039',
        'p2p.orders  not_applicable 40054',
      ])
      expect(next).toEqual(QUIET)
    },
    120_000,
  )

  test('is complete too if the venue answers with other codes that it is not a merchant or a lending unit', async () => {
    const { first, known } = await allNights()
    expect(first).toEqual(QUIET)
    expect(known.at(-1)).toEqual(
      expect.arrayContaining([
        'futures.subaccountAssets USDT-FUTURES not_applicable 40048',
        'loan.ltv  not_applicable 25559',
        'p2p.merchant  not_applicable 60005',
        'p2p.orders  not_applicable 60049',
      ]),
    )
  }, 120_000)

  test('warns of a feed that the configuration names', async () => {
    const venue = await traderVenue({ ...TRADER, ...excluded(400) })
    const dir = traderBooks(venue.baseUrl, `{ since: ${daysAgo(40)}, feeds: [tax.records, p2p.orders] }`)
    const { code, breaks } = await night(dir)
    expect(code).toBe(3)
    expect(breaks).toEqual([
      'warning coverage: p2p.orders: 1 range not applicable to this account, though the configuration names the feed (40054: The endpoint does not apply to this account: p2p.orders for account trader.).',
    ])
  }, 120_000)

  test('reads the product lines that it has, including those requested after one that it does not have', async () => {
    const rows = [
      {
        id: '7',
        symbol: 'BTCUSD',
        marginCoin: 'BTC',
        futureTaxType: 'OPEN_LONG',
        amount: '0',
        fee: '0',
        ts: String(Date.parse(daysAgo(28))),
      },
    ]
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      '/api/v3/account/settings': () => refused('40084', 400),
      '/api/v2/tax/future-record': (query) => {
        if (query.get('productType') !== 'COIN-FUTURES') return refused('40099', 400)
        const at = Number(rows[0]?.ts)
        const isAsked = Number(query.get('startTime')) <= at && at <= Number(query.get('endTime'))
        return isAsked && query.get('idLessThan') === null ? rows : []
      },
      '/api/v2/tax/p2p-record': () => refused('60039', 400),
    })
    const dir = traderBooks(
      venue.baseUrl,
      `{ since: ${daysAgo(40)}, feeds: [tax.futuresRecords, tax.p2pRecords] }`,
    )
    const { code, breaks } = await night(dir)
    expect(code).toBe(3)
    // The one warning is of the feed that does not apply at all though it is named.
    expect(breaks).toEqual([expect.stringMatching(/^warning coverage: tax\.p2pRecords: 1 range/)])
    expect(await coverage(dir)).toEqual([
      'account.settings  not_applicable 40084',
      'tax.futuresRecords USDC-FUTURES not_applicable 40099',
      'tax.futuresRecords USDT-FUTURES not_applicable 40099',
      'tax.p2pRecords  not_applicable 60039',
    ])
    expect(await ask(dir, 'select id from futures_records')).toEqual([{ id: '7' }])
  }, 120_000)

  test('drops what earlier nights left pending of a feed that never applied', async () => {
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      '/api/v2/p2p/orderList': () => refused('99999', 400),
    })
    const dir = traderBooks(venue.baseUrl, SINCE)
    expect((await night(dir)).code).toBe(5)
    venue.answers = { ...TRADER, ...excluded(400) }
    expect(await night(dir)).toEqual(QUIET)
  }, 120_000)
})

describe.concurrent('the same codes elsewhere', () => {
  test('40029 is a missing permission and 40054 a refusal like any other: neither is taken for an empty feed', async () => {
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      '/api/v3/trade/history-orders': () => refused('40029', 400),
      '/api/v2/tax/future-record': () => refused('40054', 400),
    })
    const dir = traderBooks(venue.baseUrl, SINCE)
    const { code, breaks } = await night(dir)
    expect(code).toBe(5)
    expect(breaks).toEqual([
      expect.stringMatching(/^warning coverage: tax\.futuresRecords: 3 ranges not fetched yet, .*40054/),
      expect.stringMatching(/^warning missing_credential: Not read: trade\.orderHistory \(40029/),
    ])
  }, 120_000)

  test('at the settings, which show what an account is, they do not make it a classic one', async () => {
    const venue = await traderVenue({
      ...TRADER,
      ...excluded(400),
      '/api/v3/account/settings': () => refused('40029', 400),
    })
    const dir = traderBooks(venue.baseUrl, SINCE)
    expect((await night(dir)).code).toBe(3)
    expect(venue.arrived).toContain('/api/v3/tax/records')
    expect(await ask(dir, 'select kind from accounts')).toEqual([{ kind: 'unknown' }])
  }, 120_000)
})

describe.concurrent('settings that cannot be read', () => {
  test.each([
    ['a code that nobody knows', () => refused('99999', 400), 'pending 99999'],
    ['a parameter refused', () => refused('40017', 400), 'failed 40017'],
    ['a list in place of the settings', () => [], 'pending 00000'],
  ])(
    'prevent no other feed from being read: %s',
    async (_, settings, said) => {
      const venue = await traderVenue({ ...TRADER, ...excluded(400), '/api/v3/account/settings': settings })
      const dir = traderBooks(
        venue.baseUrl,
        `{ since: ${daysAgo(40)}, feeds: [account.settings, tax.records] }`,
      )
      const { code, stderr, coverage, kinds } = await synced(dir)
      expect(code).toBe(5)
      expect(stderr).toContain('account.settings for account trader')
      expect(coverage).toEqual([`account.settings  ${said}`])
      expect(venue.arrived).toContain('/api/v3/tax/records')
      expect(kinds).toEqual([{ kind: 'unknown' }])
    },
    120_000,
  )

  test('leave unchanged what earlier nights found out about the account', async () => {
    const venue = await traderVenue({ ...TRADER, ...excluded(400) })
    const dir = traderBooks(
      venue.baseUrl,
      `{ since: ${daysAgo(40)}, feeds: [account.settings, tax.records] }`,
    )
    expect(await night(dir)).toEqual(QUIET)
    venue.answers = { ...venue.answers, '/api/v3/account/settings': () => refused('40017', 400) }
    const { code, kinds } = await synced(dir)
    expect(code).toBe(5)
    expect(kinds).toEqual([{ kind: 'unified' }])
  }, 120_000)
})
