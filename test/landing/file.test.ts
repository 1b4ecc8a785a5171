// The file of the landing database: its version, its one owner, a process that dies, a disk that is full.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { defineRecord, text } from '../../models/record.ts'
import { openLanding } from '../../pipeline/landing/database.ts'
import { LandingError, notOpened } from '../../pipeline/landing/errors.ts'
import type { Landing } from '../../pipeline/landing/landing.ts'
import { compileForChild } from '../support/child.ts'
import { ask, emptyFolder, landingIn } from './folder.ts'
import { chainOf, landingOptions, page, taxRow } from './frames.ts'

const failure = async (dir: string, readOnly = false): Promise<LandingError> => {
  const error = await openLanding(dir, { ...landingOptions, readOnly }).catch((reason: unknown) => reason)
  if (error instanceof LandingError) return error
  throw error
}

/** Opens, changes and closes a landing. */
async function changed(dir: string, sql: string): Promise<void> {
  const landing = await landingIn(dir)
  await landing.connection.run(sql)
  await landing.close()
}

describe('a landing database', () => {
  it('uses one thread as long as its file is small, then all that it may', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir, { threads: 3 })
    const threads = async (): Promise<unknown> =>
      (await ask(landing, "select current_setting('threads')"))[0]?.[0]
    await landing.land([page(1, [taxRow('1')])])
    expect(await threads()).toBe('1')
    // What is behind the end of its blocks is a hole.
    await truncate(join(dir, 'landing.duckdb'), 65 * 2 ** 20)
    await landing.land([page(2, [taxRow('2')])])
    expect(await threads()).toBe('3')
    await landing.close()
    const again = await landingIn(dir, { threads: 3 })
    expect(await ask(again, 'select id from landing.tax_records order by id')).toEqual([['1'], ['2']])
  })

  it('has a table for every record type, though empty', async () => {
    const landing = await landingIn(await emptyFolder())
    const tables = await ask(
      landing,
      "select table_name from duckdb_tables() where database_name = 'landing' order by 1",
    )
    expect(tables.flat()).toEqual([
      ...['account_settings', 'accounts', 'covered', 'drift', 'fetched_prices', 'futures_records'],
      ...[
        'import_withdrawals',
        'imported_lots',
        'imported_prices',
        'imported_trades',
        'imports',
        'notes',
        'open_orders',
        'orders',
      ],
      ...[
        'p2p_orders',
        'p2p_records',
        'pages',
        'price_pages',
        'progress',
        'quarantine',
        'runs',
        'state',
        'statements',
        'tax_records',
        'writes',
      ],
    ])
  })

  it('is readable only by its owner, including its log, even if an existing one was readable by others', async () => {
    const dir = await emptyFolder()
    const modes = async () => {
      const names = (await readdir(dir)).filter((name) => name.startsWith('landing.')).sort()
      return Promise.all(
        names.map(async (name) => `${name} ${((await stat(join(dir, name))).mode & 0o777).toString(8)}`),
      )
    }
    const landing = await landingIn(dir)
    await landing.land([page(1, [taxRow('1')])])
    expect(await modes()).toEqual(['landing.duckdb 600', 'landing.duckdb.wal 600'])
    await landing.close()
    await chmod(join(dir, 'landing.duckdb'), 0o644)
    await (await landingIn(dir)).close()
    expect(await modes()).toEqual(['landing.duckdb 600'])
  })

  it('of another user states whose permission is needed, and does not advise rebuilding the file', () => {
    const said = 'IO Error: Cannot open file "/books/landing.duckdb": Permission denied'
    const error = notOpened('/books/landing.duckdb', new Error(said))
    expect([error.exitCode, error.describe()]).toEqual([
      2,
      [
        'The landing database belongs to another user.',
        '  where:    /books/landing.duckdb',
        '  expected: a file owned by the user that runs this command, because only its owner may read it',
        `  found:    ${said}`,
        '  next:     Run this as the user of the nightly runs. Published figures do not need this (`tieout status`, `tieout report`, `tieout sql`).',
      ].join('\n'),
    ])
  })

  it('of an older version says to rebuild, one of a newer version to update', async () => {
    const dir = await emptyFolder()
    await changed(dir, 'update landing.state set schema_version = 1')
    const older = await failure(dir)
    expect(older.describe()).toBe(
      [
        'The landing database was created by an older version of tieout.',
        `  where:    ${join(dir, 'landing.duckdb')}`,
        '  expected: schema version 8',
        '  found:    schema version 1',
        '  next:     Run `tieout rebuild` to rebuild the file from the journal.',
      ].join('\n'),
    )
    const other = await emptyFolder()
    await changed(other, 'update landing.state set schema_version = 9')
    expect((await failure(other)).details).toMatchObject({
      expected: 'schema version 8',
      found: 'schema version 9',
      action:
        'Update tieout, then run again. To stay with this version, run `tieout rebuild`: it rebuilds the file from the journal as far as it knows the frames.',
    })
  })

  it('without a declared table, or with other columns in one, has to be rebuilt, whether it is read or written', async () => {
    const dir = await emptyFolder()
    await changed(dir, 'drop table landing.orders')
    expect((await failure(dir, true)).details.found).toBe('no table orders')
    expect((await failure(dir)).details.found).toBe('no table orders')
    const other = await emptyFolder()
    await changed(other, 'alter table landing.orders drop column symbol')
    for (const readOnly of [true, false])
      expect((await failure(other, readOnly)).details.found).toBe('table orders with other columns')
  })

  it('that lacks rows which its state counts is damaged: an older copy beside a newer log', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    await landing.land([page(1, [taxRow('1'), taxRow('2')])])
    await landing.close()
    await changed(dir, "delete from landing.tax_records where id = '2'")
    const { details, message } = await failure(dir)
    expect([message, details.expected, details.found]).toEqual([
      'The landing database is damaged.',
      '3 rows in all',
      '2 rows',
    ])
  })

  it('with a changed byte in a block is named when the block is read', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    await landing.land([page(1, [taxRow('1')])])
    await landing.close()
    const file = join(dir, 'landing.duckdb')
    const bytes = await readFile(file)
    // Behind the three headers stand the blocks, each behind its checksum.
    for (let at = 3 * 4_096 + 100; at < bytes.length; at += 262_144) bytes[at] = (bytes[at] ?? 0) ^ 1
    await writeFile(file, bytes)
    const error = await failure(dir)
    expect(error.details.where).toBe(file)
    expect(error.details.action).toContain('tieout rebuild')
  })

  it('that is not a database is refused, as is a missing file if it is only read', async () => {
    const dir = await emptyFolder()
    const reading = openLanding(dir, { ...landingOptions, readOnly: true })
    await expect(reading).rejects.toThrow(UsageError)
    await writeFile(join(dir, 'landing.duckdb'), 'not a database at all')
    expect((await failure(dir)).message).toBe('The landing database could not be opened.')
  })

  it('is open once in a process, and can be opened again after it was closed', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    expect((await failure(dir)).message).toBe('The landing database is already open in this process.')
    await landing.close()
    await (await landingIn(dir, { readOnly: true })).close()
  })

  it('is released when it is closed, though a connection of its instance is still open', async () => {
    const dir = await emptyFolder()
    const landing = await landingIn(dir)
    const stray = await landing.instance.connect()
    await landing.close()
    const again = await landingIn(dir)
    await again.land([page(1, [taxRow('1')])])
    await expect(stray.run('select * from landing.tax_records')).rejects.toThrow()
    stray.closeSync()
    await again.close()
    const reopened = await landingIn(dir)
    expect(await ask(reopened, 'select id from landing.tax_records')).toEqual([['1']])
  })

  it('is in UTC for every connection of its instance, and installs nothing', async () => {
    const landing = await landingIn(await emptyFolder())
    const settings = "select current_setting('TimeZone'), current_setting('autoinstall_known_extensions')"
    const other = await landing.instance.connect()
    expect((await other.runAndReadAll(settings)).getRows()).toEqual([['UTC', false]])
    other.closeSync()
  })

  it('accepts a record type whose field is named like an SQL keyword', async () => {
    const record = defineRecord({
      ...{ table: 'select_from', nature: 'event', doc: 'Order, group.', key: ['order'] },
      fields: { order: text('Order.'), group: text('Group.') },
    })
    const feeds = new Map([['tax.records', { record, rows: '' }]])
    const landing = await landingIn(await emptyFolder(), { records: [record], feeds })
    await landing.land([page(1, [{ order: '1', group: 'g' }])])
    expect(await ask(landing, 'select "order", "group" from landing.select_from')).toEqual([['1', 'g']])
  })
})

describe('another process', () => {
  let program = ''

  beforeAll(async () => {
    program = await compileForChild('test/landing/child.ts')
  })

  /** Starts a process that lands; its lines are the frames landed. `fileKiB` bounds how long its files may get. */
  function start(dir: string, fileKiB?: number): { process: ChildProcess; lines: AsyncIterator<string> } {
    const limit = fileKiB === undefined ? '' : `ulimit -f ${fileKiB}; `
    const command = `${limit}exec "$0" "$1" "$2"`
    const child = spawn('bash', ['-c', command, process.execPath, program, dir], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return { process: child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  }

  const numberOf = async (lines: AsyncIterator<string>): Promise<number> => Number((await lines.next()).value)

  /** Frames that have landed, after checking that all of their rows and no others are there. */
  async function wholeFrames(landing: Landing): Promise<number> {
    const seq = landing.landedSeq
    expect(landing.chain).toBe(chainOf(seq))
    expect(await ask(landing, 'select count(*), coalesce(max(page_id), 0) from landing.tax_records')).toEqual(
      [[String(300 * seq), String(seq)]],
    )
    expect(await ask(landing, 'select count(*) from landing.covered')).toEqual([[String(seq)]])
    expect(await landing.unfinished('main', 'tax.records', 'SPOT')).toEqual([
      { window: { start: 0, end: 1 }, cursor: `cursor-${seq}` },
    ])
    return seq
  }

  it('that writes locks out readers, who are told so', async () => {
    const dir = await emptyFolder()
    const writer = start(dir)
    await numberOf(writer.lines)
    const error = await failure(dir, true)
    expect(error.message).toBe('The landing database could not be opened.')
    expect(error.details.expected).toBe(
      'a DuckDB file that no other process has open for writing: while one does, no other can even read it',
    )
  })

  it('that is killed leaves whole transactions, and landing resumes after the last one', async () => {
    const dir = await emptyFolder()
    for (let life = 0; life < 3; life++) {
      const writer = start(dir)
      const acknowledged = [await numberOf(writer.lines), await numberOf(writer.lines)]
      writer.process.kill('SIGKILL')
      await once(writer.process, 'exit')
      const landing = await landingIn(dir)
      expect(await wholeFrames(landing)).toBeGreaterThanOrEqual(acknowledged[1] ?? 0)
      const { landedSeq } = landing
      expect(landedSeq % 5).toBe(0)
      await landing.close()
    }
  })

  it('whose disk is full lands nothing of the failed transaction and loses nothing before it', async () => {
    const dir = await emptyFolder()
    const writer = start(dir, 2_048)
    const lines: string[] = []
    for (let line = await writer.lines.next(); line.done !== true; line = await writer.lines.next())
      lines.push(line.value)
    expect(lines.at(-1)).toBe('closed')
    const [, first, landed] =
      /FileLimited: Frames (\d+) to \d+ of .* \| landed (\d+)$/.exec(lines.at(-2) ?? '') ?? []
    expect(Number(first)).toBe(Number(landed) + 1)
    const landing = await landingIn(dir)
    expect(await wholeFrames(landing)).toBe(Number(landed))
    const seq = landing.landedSeq + 1
    await landing.land([page(seq, [taxRow('1')])])
    expect(landing.landedSeq).toBe(seq)
  })
})
