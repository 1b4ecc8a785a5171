// The pages of docs/endpoints say what the catalogue says, and are those that stand in the repository.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { endpoints, findEndpoint } from '../../connectors/catalogue.ts'
import { checkPage } from '../../docs/generate/check-page.ts'
import { endpointPages } from '../../docs/generate/endpoint-pages.ts'
import { lineagePage } from '../../docs/generate/lineage-page.ts'
import { portablePage } from '../../docs/generate/portable-page.ts'
import { requestFields } from '../../docs/generate/request-fields.ts'
import { tablePage } from '../../docs/generate/table-page.ts'
import { typePage } from '../../docs/generate/type-page.ts'
import { packageRoot } from '../../pipeline/config/root.ts'

const folder = join(packageRoot, 'docs', 'endpoints')

describe('the pages of the endpoints', () => {
  test('in the repository are up to date: else run `npm run docs`', () => {
    const committed = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
    expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(endpointPages()))
  })

  test('have a heading for every endpoint, and the overview leads to each', () => {
    const pages = endpointPages()
    for (const { name, section } of endpoints) {
      const file = `${name.split('.')[0]}.md`
      expect(pages.get(file)).toContain(`\n## ${section} ${name}\n`)
      expect(pages.get('README.md')).toContain(`(${file}#`)
    }
  })

  test('give the column of every field that lands', () => {
    const page = endpointPages().get('tax.md')
    expect(page).toContain('Lands in `tax_records`.')
    expect(page).toContain(
      '| `amount` | `amount` | DECIMAL(38,18) | Signed change in units of the coin, without the fee. |',
    )
    expect(page).toContain('- **Times:** at most 7 days a request, of the last 366 days')
  })
})

test('the page of the checks is up to date: else run `npm run docs`', () => {
  expect(readFileSync(join(packageRoot, 'docs', 'checks.md'), 'utf8')).toBe(checkPage())
  const [table = ''] = checkPage().split('\n## ')
  const checks = [...checkPage().matchAll(/^## (\w+)$/gm)].map(([, name]) => name as string)
  expect(checks.filter((name) => !new RegExp(`\\b${name}\\b`).test(table))).toEqual([])
})

test('the pages of the tables and of their lineage are up to date: else run `npm run docs`', async () => {
  expect(readFileSync(join(packageRoot, 'docs', 'tables.md'), 'utf8')).toBe(tablePage())
  expect(readFileSync(join(packageRoot, 'docs', 'lineage.md'), 'utf8')).toBe(await lineagePage())
})

test('the page of the names that models share is up to date: else run `npm run docs`', () => {
  expect(readFileSync(join(packageRoot, 'docs', 'portable.md'), 'utf8')).toBe(portablePage())
})

describe('the page of the types', () => {
  test('is up to date: else run `npm run docs`', () => {
    expect(readFileSync(join(packageRoot, 'docs', 'types.md'), 'utf8')).toBe(typePage())
  })

  test('has every name that is publicly known, with its kind in each feed', () => {
    const [, listed = ''] = typePage().split('\n## Names\n')
    const rows = listed.split('\n').map((line) => line.split(' | '))
    const kindsOf = (name: string, feed: number): string[] =>
      rows
        .filter(
          ([cell = '']) => canonical(cell.slice(2)) === canonical(name === '' ? '*(empty)*' : `\`${name}\``),
        )
        .map((cells) => cells[feed] ?? '')
        .filter((kind) => kind !== '')
    const names = JSON.parse(
      readFileSync(join(packageRoot, 'test', 'fixtures', 'type-names.json'), 'utf8'),
    ) as Record<string, string[]>
    const counts = Object.entries(names).flatMap(([ledger, all]) => {
      const feeds = ledger === 'p2p_seen' ? [3] : ledger === 'futures_ledger' ? [1, 2] : [1]
      return feeds.flatMap((feed) => all.map((name) => [name, feed, kindsOf(name, feed).length]))
    })
    expect(counts.filter(([, , count]) => count !== 1)).toEqual([])
    expect(counts.length).toBe(154 + 22 + 2 * names.futures_ledger!.length + 50 + 12 + 2)
    expect([kindsOf('buy', 1), kindsOf('buy', 2), kindsOf('buy', 3)]).toEqual([
      ['trade'],
      ['realised_pnl'],
      ['p2p_trade'],
    ])
  })
})

const canonical = (name: string): string => name.toUpperCase().replace(/[\s_-]+/g, '_')

describe('the request fields of an endpoint', () => {
  const fieldsOf = (name: string) => requestFields(findEndpoint(name)!)

  test('have their rules in the words of a refusal', () => {
    expect(fieldsOf('broker.createApiKey')).toEqual([
      { name: 'subUid', required: true, rule: 'must be a string; must not be empty' },
      { name: 'passphrase', required: true, rule: 'must be a string; must have 6 to 32 characters' },
      {
        name: 'label',
        required: true,
        rule: 'must be a string; must not be empty; must be shorter than 20 characters',
      },
      {
        name: 'ipList',
        required: false,
        rule: 'must be a list; must have at most 30 entries; each must be a string; each must not be empty',
      },
      { name: 'permType', required: true, rule: 'must be one of read_and_write, readonly' },
      {
        name: 'permList',
        required: true,
        rule: 'must be a list; must not be an empty list; each must be one of contract_order, contract_position, spot_trade, margin_trade, copytrading_trade, wallet_transfer',
      },
    ])
  })

  test('of a list of objects are listed below it', () => {
    expect(fieldsOf('trade.batchModifyOrders').map(({ name }) => name)).toEqual([
      'orders',
      'orders[].orderId',
      'orders[].clientOid',
      'orders[].qty',
      'orders[].price',
      'orders[].autoCancel',
      'orders[].symbol',
      'orders[].category',
    ])
  })
})
