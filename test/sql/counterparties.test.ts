// Who is on the other side of a P2P deal, as a pseudonym: the same for the same name, and nothing that leads back to it.
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Cells, TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['p2p_trades', 'p2p_orders', 'trades', 'fees'] })
  await books.account('main', 'unified')
})

afterEach(async () => {
  await books.close()
})

const deal = (id: string, side: 'buy' | 'sell', buyer: string | null, seller: string | null): Cells => ({
  order_id: id,
  side,
  coin: 'USDT',
  count: id,
  fiat: 'EUR',
  amount: id,
  price: '1',
  status: 'Completed',
  buyer_real_name: buyer,
  seller_real_name: seller,
  c_time: '2026-01-05 10:00:00+00',
  u_time: '2026-01-05 10:00:00+00',
  release_time: '2026-01-05 10:00:00+00',
})

const ids = async (): Promise<Map<string | null, string | null>> =>
  new Map(
    (await books.query('select order_id, counterparty_id from p2p_orders order by order_id')).map(
      ([order, id]) => [order ?? null, id ?? null],
    ),
  )

const key = () => join(books.dir, 'counterparties.key')

it('p2p: the other side has one pseudonym, whether buying or selling, and the merchant none', async () => {
  await books.page('p2p.orders', [
    deal('1', 'buy', 'The Merchant', 'Jane Roe'),
    deal('2', 'sell', ' jane  ROE', 'The Merchant'),
    deal('3', 'buy', 'The Merchant', 'John Doe'),
    deal('4', 'buy', 'The Merchant', null),
    deal('5', 'sell', '  ', 'The Merchant'),
  ])
  await books.page('tax.p2pRecords', [
    { id: '9', p2p_tax_type: 'buy', coin: 'USDT', balance: '1', ts: '2026-01-05 10:00:00+00' },
  ])
  await books.build()
  const found = await ids()
  expect(found.get('1')).toMatch(/^[0-9a-f]{20}$/)
  expect(found.get('2')).toBe(found.get('1'))
  expect(found.get('3')).not.toBe(found.get('1'))
  expect([found.get('4'), found.get('5')]).toEqual([null, null])
  expect(await books.query('select order_id, counterparty_id from p2p_trades')).toEqual([
    ['1', found.get('1')],
  ])
})

it('p2p: a pseudonym stays the same from build to build, and differs in other books', async () => {
  await books.page('p2p.orders', [deal('1', 'buy', 'The Merchant', 'Jane Roe')])
  await books.build()
  const first = (await ids()).get('1')
  await books.build({ publishPersonalData: true })
  expect((await ids()).get('1')).toBe(first)
  rmSync(key())
  await books.build()
  expect((await ids()).get('1')).not.toBe(first)
})

it('p2p: a build that had to create a key says so, since pseudonyms change if one is lost', async () => {
  const notes: string[] = []
  const onNote = (text: string): unknown => notes.push(text)
  await books.build({}, { onNote })
  expect(notes).toEqual([])
  await books.page('p2p.orders', [deal('1', 'buy', 'The Merchant', 'Jane Roe')])
  for (const isLost of [true, false, true]) {
    if (isLost) rmSync(key(), { force: true })
    await books.build({}, { onNote })
  }
  const said = expect.stringMatching(
    /^Created a new counterparties\.key, .* restore that file and run `tieout build`\.$/,
  )
  expect(notes).toEqual([said, said])
})

it('p2p: another key in place of the former one is reported once, by the build that changes the pseudonyms', async () => {
  const notes: string[] = []
  const onNote = (text: string): unknown => notes.push(text)
  await books.page('p2p.orders', [deal('1', 'buy', 'The Merchant', 'Jane Roe')])
  await books.build()
  await books.build({}, { onNote })
  expect(notes).toEqual([])
  writeFileSync(key(), `${'ab'.repeat(32)}\n`)
  await books.build({}, { onNote })
  await books.build({}, { onNote })
  expect(notes).toEqual([
    expect.stringMatching(
      /^The counterparties\.key differs from that of the previously published ledger: .* run `tieout build`\.$/,
    ),
  ])
})

it('p2p: the key stays out of the ledger, is readable only by its owner, and is not created without counterparties', async () => {
  await books.build()
  expect(existsSync(key())).toBe(false)
  await books.page('p2p.orders', [deal('1', 'buy', 'The Merchant', 'Jane Roe')])
  await books.build()
  expect(statSync(key()).mode & 0o777).toBe(0o600)
  const ledger = readFileSync(join(books.dir, 'ledger.duckdb')).toString('latin1')
  expect(ledger).not.toContain(readFileSync(key(), 'latin1').trim())
  expect(ledger).not.toContain('Jane Roe')
  expect(
    await books.query("select count(*) from duckdb_tables() where table_name = 'counterparty_key'"),
  ).toEqual([['0']])
})

it('p2p: a damaged key is refused by name, never replaced', async () => {
  await books.page('p2p.orders', [deal('1', 'buy', 'The Merchant', 'Jane Roe')])
  writeFileSync(key(), 'secret\n')
  await expect(books.build()).rejects.toThrow('The key of the counterparties is damaged.')
  expect(readFileSync(key(), 'utf8')).toBe('secret\n')
})
