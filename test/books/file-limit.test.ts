// A limit of file sizes (`ulimit -f`) met at each place that writes: the error names it and how to raise it, the published
// ledger stays as it was, and without the limit the same command goes through with nothing lost.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programFile } from '../support/child.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const HEADER = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'

let program = ''
/** Books with an imported file, published; each test has a copy. */
let published = ''
beforeAll(async () => {
  program = await programFile()
  published = mkdtempSync(join(tmpdir(), 'tieout-limit-'))
  expect((await command(['import', 'trades', trades('first', 5), '--dir', published])).code).toBe(0)
})
afterAll(() => rmSync(published, { recursive: true, force: true }))

/** Rows of an import, each unlike the others, so that they cannot be compressed. */
function trades(name: string, rows: number): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tieout-trades-')), `${name}.csv`)
  let state = 7
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state
  }
  const lines = Array.from(
    { length: rows },
    (_, nth) =>
      `${name}-${next()}-${next()}-${nth},2026-03-01T10:00:00Z,elsewhere,buy,BTC,0.01,USDT,600,0,USDT`,
  )
  writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n`)
  return file
}

test.each([
  ['the journal', 40, 'The journal could not be written', 'EFBIG'],
  ['what lands', 1_000, 'could not be landed', 'File too large'],
  ['the ledger', 6_000, 'The ledger could not be built under the file size limit', 'File too large'],
])(
  '%s under a limit of %d KiB',
  async (_what, limit, sentence, found) => {
    const dir = join(temporaryFolder(), 'books')
    cpSync(published, dir, { recursive: true })
    const before = readFileSync(join(dir, 'ledger.duckdb'))
    const second = trades('second', 12_000)

    const limited = spawnSync(
      'bash',
      ['-c', 'ulimit -f "$1"; shift; exec "$@"', 'bash', String(limit), process.execPath, program].concat([
        'import',
        'trades',
        second,
        '--dir',
        dir,
      ]),
      { encoding: 'utf8' },
    )
    expect(limited.stderr).toContain(sentence)
    expect(limited.stderr).toContain(found)
    expect(limited.stderr).toContain('Raise the file size limit (`ulimit -f`')
    expect(limited.status).toBe(2)
    expect(readFileSync(join(dir, 'ledger.duckdb')).equals(before)).toBe(true)

    expect((await command(['import', 'trades', second, '--dir', dir])).code).toBe(0)
    const { stdout } = await command([
      'sql',
      'select count(*) as n from imported_trades',
      '--dir',
      dir,
      '--format',
      'json',
    ])
    expect(JSON.parse(stdout)).toEqual([{ n: 12005 }])
  },
  240_000,
)
