// `tieout import` as its user meets it: in a fresh folder, with a file that is refused, and the list of what was imported.
import { mkdirSync, writeFileSync } from 'node:fs'
import stringWidth from 'string-width'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listed } from '../../pipeline/commands/import.ts'
import { BOUGHT, GAINS, SOLD } from '../imports/small-books.ts'
import { tieout } from '../support/cli.ts'
import { ImportedBooks, TRADE_HEADER } from '../support/imports.ts'
import { command } from '../support/in-process.ts'

let books: ImportedBooks

beforeEach(() => {
  books = new ImportedBooks({}, { only: GAINS })
})

afterEach(() => {
  books.close()
})

describe('the command line', () => {
  it('lists the imports, including one that is not built yet and one that was withdrawn', async () => {
    const file = books.file('history.csv', [TRADE_HEADER, BOUGHT, ''].join('\n'))
    const dir = `${books.dir}/listed`
    mkdirSync(dir)
    writeFileSync(`${dir}/tieout.yaml`, 'accounts: {}\n')
    expect((await command(['import', '--list', '--dir', dir])).stdout).toBe('Nothing has been imported.\n')
    await command(['import', 'trades', file, '--no-build', '--dir', dir])
    const before = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(before.stdout)).toMatchObject([{ id: 1, file_name: 'history.csv', withdrawn_at: null }])
    expect((await command(['import', '--undo', '1', '--no-build', '--dir', dir])).code).toBe(0)
    const after = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(after.stdout)).toMatchObject([{ id: 1, withdrawn_at: expect.stringMatching(/Z$/) }])
    const table = await command(['import', '--list', '--dir', dir])
    expect(table.stdout).toMatch(/^id +kind +file_name +row_count +imported_at +withdrawn_at\n/)
    expect((await command(['import', 'trades', file, '--list', '--dir', dir])).code).toBe(2)
  }, 120_000)

  it('says how many rows a file had after it was erased, though none of them is left', async () => {
    const file = books.file('history.csv', [TRADE_HEADER, BOUGHT, SOLD, ''].join('\n'))
    const dir = `${books.dir}/erased`
    mkdirSync(dir)
    writeFileSync(`${dir}/tieout.yaml`, 'accounts: {}\n')
    await command(['import', 'trades', file, '--no-build', '--dir', dir])
    expect((await command(['erase', '1', '--yes', '--dir', dir])).code).toBe(0)
    const { stdout } = await command(['import', '--list', '--json', '--dir', dir])
    expect(JSON.parse(stdout)).toMatchObject([{ id: 1, row_count: 2 }])
    const sql = 'select row_count, (select count(*) from imported_trades) as left_over from imports'
    const asked = await command(['sql', sql, '--format', 'json', '--dir', dir])
    expect(JSON.parse(asked.stdout)).toEqual([{ row_count: 2, left_over: 0 }])
  }, 120_000)

  it('imports into a fresh folder without a configuration, publishes, and reports with code 0', async () => {
    const file = books.file('history.csv', [TRADE_HEADER, BOUGHT, SOLD, ''].join('\n'))
    const dir = `${books.dir}/fresh`
    const first = await tieout(['import', 'trades', file, '--dir', dir])
    expect(first).toMatchObject({
      code: 0,
      stdout: `Imported 2 rows of ${file}. To withdraw it: tieout import --undo 1 --dir ${dir}\nNo open breaks.\n`,
    })
    const listed = await command(['import', '--list', '--json', '--dir', dir])
    expect({ code: listed.code, list: JSON.parse(listed.stdout) }).toEqual({
      code: 0,
      list: [
        {
          id: 1,
          kind: 'trades',
          file_name: 'history.csv',
          row_count: 2,
          imported_at: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
          withdrawn_at: null,
        },
      ],
    })
    const report = await command(['report', 'gains', '--format', 'json', '--method', 'lifo', '--dir', dir])
    expect(report.code).toBe(0)
    expect(JSON.parse(report.stdout)).toEqual([
      {
        account: 'main',
        coin: 'BTC',
        method: 'lifo',
        rules: 'generic',
        disposed_at: '2026-01-02T00:00:00.000Z',
        acquired_at: '2026-01-01T00:00:00.000Z',
        quantity: '1',
        proceeds: '149',
        cost_basis: '101',
        denied_loss: null,
        gain: '48',
        currency: 'USD',
        holding_days: 1,
        term: null,
        disposal_id: 's1',
        lot_id: 'b1',
        fees: '1',
      },
    ])
    const again = await command(['import', 'trades', file, '--dir', dir])
    expect(again).toMatchObject({
      code: 0,
      stdout: `Nothing new: the books already contain all of ${file} (2 rows).\nNo open breaks.\n`,
    })
  })

  it('refuses an invalid file with code 2 and creates no books from it', async () => {
    const file = books.file('bad.csv', `${TRADE_HEADER}\n${BOUGHT.replace('00:00:00Z', '00:00:00')}\n`)
    const outcome = await command(['import', 'trades', file, '--dir', `${books.dir}/fresh`])
    expect(outcome.code).toBe(2)
    expect(outcome.stderr).toContain(`where:    ${file}:2, column time`)
    const report = await command(['report', 'gains', '--dir', `${books.dir}/fresh`])
    expect(report.code).toBe(2)
  })
})

it('the list of imports fits a terminal: numbers and file names whole or wrapped, and omitted columns are named', () => {
  const file = 'ok-with-a-rather-long-name-of-a-file-2024.csv'
  const [imported_at, row_count] = ['2026-02-01T20:20:36.988Z', 2]
  const imports = [
    { id: 1, kind: 'trades', file_name: file, row_count, imported_at, withdrawn_at: null },
    {
      id: 2,
      kind: 'prices',
      file_name: 'b.csv',
      row_count,
      imported_at,
      withdrawn_at: '2026-02-02T08:00:00.000Z',
    },
  ]
  for (const width of [40, 60, 80, 100]) {
    const lines = listed(imports, width).split('\n')
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    expect(lines.join('\n')).toMatch(/2026-02-02 08:00/)
  }
  expect(listed(imports, 40)).toContain('Left out at 40 columns (--json has')
  // Piped, whatever its width.
  expect(listed(imports, undefined)).toContain(file)
})
