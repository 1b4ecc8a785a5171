// Where each published table comes from, and how it is told: in the words of the models, and of the ledger at hand.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lineageText, tablesText } from '../../pipeline/commands/tables.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { lineageOf, readLineage, shippedTables, sourcesOf } from '../../pipeline/ledger/lineage.ts'
import { mustBeDocumented } from '../../pipeline/ledger/models.ts'
import { lotsStep } from '../../pipeline/lots/step.ts'
import { TestBooks } from '../support/books.ts'

const steps = [lotsStep({ method: 'fifo', scope: 'account' })]

test('lineage: an opening entry comes from the balance chain, and that from the tax records of 4.19', async () => {
  const lines = (await lineageText('entries', { json: false })).split('\n')
  expect(lines[0]).toMatch(/^entries: Every signed change of one coin in one account/)
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}balance_chain: The proof of the balances/))
  expect(lines.at(-1)).toContain('feed tax.records (4.19)')
  const chain = await lineageText('balance_chain', { json: false })
  expect(chain).toMatch(/\n +tax_records: .*\n +feed tax\.records \(4\.19\): /)
})

/** They tell of the ledger itself. */
const OF_THE_BUILD = ['main.about', 'main.made_tables']

test('lineage: every published table ends at a feed, an import, a reference table or a user’s statement', async () => {
  const lineage = await readLineage(steps)
  for (const { table } of shippedTables(steps)) {
    expect(lineage.has(table), table).toBe(true)
    if (!OF_THE_BUILD.includes(table)) expect(sourcesOf(lineage, table), table).not.toEqual([])
    for (const { says, name } of lineageOf(lineage, table)) expect(says, `${table}: ${name}`).not.toBe('')
  }
  expect(sourcesOf(lineage, 'main.order_fee_details')).toEqual([
    'feed trade.orderHistory (4.11)',
    'the log of requests',
  ])
  expect(sourcesOf(lineage, 'main.lots')).toContain('import of lots')
})

test('lineage: a step is expanded once, and a published table has its own lineage', async () => {
  const lineage = new Map(
    [
      { table: 'main.a', says: 'A.', reads: ['staging.b', 'staging.c', 'main.d'] },
      { table: 'staging.b', says: 'B.', reads: ['staging.c'] },
      { table: 'staging.c', says: 'C.', reads: ['landing.pages', 'landing.covered'] },
      { table: 'main.d', says: 'D.', reads: ['staging.b'] },
    ].map((origin) => [origin.table, origin]),
  )
  expect(lineageOf(lineage, 'main.a').map(({ depth, name, says }) => `${depth} ${name} ${says}`)).toEqual([
    '0 staging.b B.',
    '1 staging.c C.',
    '2 the log of requests What was asked and answered, when, and which ranges are complete.',
    '0 staging.c As above.',
    '0 main.d D.',
  ])
})

test('lineage: a missing or unknown table is refused with the list of tables', async () => {
  await expect(lineageText(undefined, { json: false })).rejects.toThrow('--lineage needs a table.')
  await expect(lineageText('entrys', { json: false })).rejects.toMatchObject({
    message: 'There is no published table of this name.',
    details: { found: 'entrys', expected: expect.stringContaining('entries, entry_values,') },
  })
})

test('the tables created by a step are documented as fully as those of a model', () => {
  expect(() => mustBeDocumented(shippedTables(steps))).not.toThrow()
})

test('tables: which exist and what their columns mean, as the present ledger states; it has everything that this program reads', async () => {
  const books = await TestBooks.open()
  try {
    await books.build({}, { steps })
    const ledger = await openLedger(books.dir)
    try {
      const list = JSON.parse(await tablesText(ledger, undefined, { json: true })) as {
        table: string
        grain: string
        keys: string
      }[]
      expect(list.filter(({ grain, keys }) => grain === '' || keys === '')).toEqual([])
      expect(list.map(({ table }) => `main.${table}`).toSorted()).toEqual(
        shippedTables(steps)
          .map(({ table }) => table)
          .toSorted(),
      )
      const lines = (await tablesText(ledger, 'order_fee_details', { json: false })).split('\n')
      expect(lines.slice(0, 3)).toEqual([
        'order_fee_details: Fees of an order so far in one coin, as sent. From feeDetail[] of feed trade.orderHistory.',
        '  grain: one row per item of each version of a record in orders',
        '  keys:  page_id, page_row, list_index unique; page_id, page_row is the record’s row in orders',
      ])
      const narrow = (await tablesText(ledger, 'order_fee_details', { json: false, width: 80 })).split('\n')
      expect(narrow.slice(0, 3)).toEqual([
        'order_fee_details: Fees of an order so far in one coin, as sent. From',
        '  feeDetail[] of feed trade.orderHistory.',
        '  grain: one row per item of each version of a record in orders',
      ])
      expect(lines).toContainEqual(expect.stringMatching(/^fee +DECIMAL\(38,18\) +Fee, positive when paid/))
      expect((await tablesText(ledger, undefined, { json: false, width: 100 })).split('\n')).toContainEqual(
        expect.stringMatching(/^balances +one row per/),
      )
      await expect(tablesText(ledger, 'order_fees', { json: false })).rejects.toThrow(
        'no published table of this name',
      )
      // A question that does not fit the ledger of this very program is a mistake of the program.
      for (const [sql, found] of [
        ['from net_worths', 'Catalog Error: Table with name net_worths does not exist!'],
        ['select worth from balances', 'Binder Error: Referenced column "worth" not found in FROM clause!'],
      ] as const)
        await expect(ledger.query(sql)).rejects.toMatchObject({
          name: 'TieoutError',
          exitCode: 1,
          message: 'A query of tieout does not match the ledger that it has published.',
          details: { where: join(books.dir, 'ledger.duckdb'), found },
        })
    } finally {
      ledger.close()
    }
  } finally {
    await books.close()
  }
}, 60_000)
