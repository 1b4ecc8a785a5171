// The ledger over HTTP: its pages, filters and counts, and the rows of each view as CSV.
import { describe, expect, test } from 'vitest'
import type { Accounts, Entries, EntryFacets, EntryRow } from '../../pipeline/serve/api.ts'
import { command } from '../support/in-process.ts'
import { servedDemo } from './served-demo.ts'

const demo = servedDemo((dir) =>
  command(['report', 'gains', '--freeze', 'gains-then', '--format', 'json', '--dir', dir]),
)

describe('the ledger', () => {
  test('pages contain every entry once, newest first, with consistent running balances', async () => {
    const rows = await demo.allPages<Entries, EntryRow>('/api/entries', ({ entries }) => entries)
    const all = await demo.sql(
      'select entry_id from entries order by occurred_at desc, place desc, entry_id desc',
    )
    expect(rows.map(({ entry_id }) => entry_id)).toEqual(all.map(({ entry_id }) => entry_id))
    const balances = new Map(
      (await demo.serving.get<Accounts>('/api/accounts')).balances.rows.map((row) => [
        `${row.account} ${row.ledger} ${row.coin}`,
        row.quantity,
      ]),
    )
    const units = (text: string): bigint => {
      const [whole = '0', fraction = ''] = text.replace('-', '').split('.')
      return BigInt(whole + fraction.padEnd(18, '0')) * (text.startsWith('-') ? -1n : 1n)
    }
    const next = new Map([...balances].map(([wallet, quantity]) => [wallet, units(quantity)]))
    for (const row of rows) {
      const wallet = `${row.account} ${row.ledger} ${row.coin}`
      expect([row.entry_id, units(row.balance)]).toEqual([row.entry_id, next.get(wallet)])
      next.set(wallet, units(row.balance) - units(row.amount))
    }
    // Before its first entry a wallet held nothing.
    for (const row of rows)
      next.delete(
        next.get(`${row.account} ${row.ledger} ${row.coin}`) === 0n
          ? `${row.account} ${row.ledger} ${row.coin}`
          : '',
      )
    const moved = new Set(rows.map((row) => `${row.account} ${row.ledger} ${row.coin}`))
    expect([...next.keys()].filter((wallet) => moved.has(wallet))).toEqual([])
  })

  test('filters narrow pages, counts, facets and CSV alike, and the balance stays that of the wallet', async () => {
    const all = await demo.allPages<Entries, EntryRow>('/api/entries', ({ entries }) => entries)
    const balanceOf = new Map(all.map(({ entry_id, balance }) => [entry_id, balance]))
    const kind = all[0]?.kind ?? ''
    const account = all[0]?.account ?? ''
    const query = `account=${account}&kind=${kind},fee`
    const rows = await demo.allPages<Entries, EntryRow>(`/api/entries?${query}`, ({ entries }) => entries)
    const chosen = all.filter((row) => row.account === account && [kind, 'fee'].includes(row.kind))
    expect(rows.map(({ entry_id, balance }) => [entry_id, balance])).toEqual(
      chosen.map(({ entry_id }) => [entry_id, balanceOf.get(entry_id)]),
    )
    const { count, facets } = await demo.serving.get<EntryFacets>(`/api/entries/facets?${query}`)
    expect(count.rows).toEqual([{ count: chosen.length }])
    // A facet is counted without its own filter.
    expect(facets.rows.filter(({ facet }) => facet === 'account').length).toBeGreaterThan(1)
    await demo.mustBeItsSql(count)
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    const { text, headers: sent } = await demo.serving.ask(`/api/csv/entries?${query}`, { headers })
    expect(
      text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(rows.map(({ entry_id }) => entry_id))
    expect(sent['content-disposition']).toMatch(/^attachment; filename="entries-\d{4}-\d{2}-\d{2}\.csv"$/)
  })

  test('by id: of the entry, of the transaction and of the venue', async () => {
    const [row] = (await demo.serving.get<Entries>('/api/entries')).entries.rows
    for (const id of [row?.entry_id, row?.transaction_id, row?.source_id]) {
      const { entries } = await demo.serving.get<Entries>(`/api/entries?id=${encodeURIComponent(String(id))}`)
      expect(entries.rows.map(({ entry_id }) => entry_id)).toContain(row?.entry_id)
      await demo.mustBeItsSql(entries)
    }
  })

  test('text in an address is always treated as a value', async () => {
    const { entries } = await demo.serving.get<Entries>(
      `/api/entries?account=${encodeURIComponent("x' or 1=1 --")}&id=${encodeURIComponent("'; drop table entries")}`,
    )
    expect([entries.rows, entries.next]).toEqual([[], null])
    await demo.mustBeItsSql(entries)
  })

  test('invalid filter values are refused', async () => {
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    for (const path of [
      '/api/entries?from=yesterday',
      '/api/entries?cursor=x',
      '/api/gains?known=maybe',
      '/api/gains?year=12',
    ])
      expect([path, (await demo.serving.ask(path, { headers })).status]).toEqual([path, 400])
  })

  test('each CSV has the rows of its view', async () => {
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    for (const view of [
      'net-worth',
      'pnl',
      'break-counts',
      'accounts',
      'balances',
      'trial-balance',
      'entry-facets',
      'lots',
      'holdings',
      'unknown-basis',
      'gains',
      'gain-totals',
      'breaks',
      'coverage',
      'runs',
      'filing?name=gains-then',
    ]) {
      const { status, text } = await demo.serving.ask(`/api/csv/${view}`, { headers })
      expect([view, status, text.endsWith('\n')]).toEqual([view, 200, true])
      // By which the page finds its next rows; it is no column of the books.
      expect([view, text.split('\n')[0]?.split(',').includes('rowid')]).toEqual([view, false])
    }
  })
})
