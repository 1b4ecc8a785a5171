// Every published table as Parquet: exact, whole or not at all, and never over somebody else's files.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { exportBooks } from '../../pipeline/exports/export.ts'
import { type Disk, HOST, nodeDisk } from '../../pipeline/journal/disk.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { publishBook, temporary } from './tools.ts'

const book = (amount: string) => publishBook([{ id: 'b', at: '2026-01-05', coin: 'BTC', amount }])

async function read(sql: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  return (await connection.runAndReadAll(sql)).getRowsJson()
}

describe('export parquet', () => {
  test('writes each table with its rows and exact decimals', async () => {
    const dir = await book('12345678901234567890.123456789012345678')
    const out = temporary('tables')
    const { path, tables } = await exportBooks(dir, 'parquet', { out })
    const ledger = await openLedger(dir)
    const names = [...ledger.tables.keys()]
    ledger.close()
    expect({ path, tables }).toEqual({ path: out, tables: names.length })
    expect(readdirSync(out)).toEqual(
      [...names.map((name) => `${name}.parquet`), 'tieout-export.json'].toSorted(),
    )
    expect(
      await read(`select typeof(amount), cast(amount as varchar) from '${out}/entries.parquet'`),
    ).toEqual([['DECIMAL(38,18)', '12345678901234567890.123456789012345678']])
  })

  test('an earlier export is replaced completely, and nothing of it remains', async () => {
    const out = temporary('tables')
    await exportBooks(await book('1'), 'parquet', { out })
    writeFileSync(join(out, 'gone.parquet'), '')
    const manifest = join(out, 'tieout-export.json')
    const { tables, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
    writeFileSync(manifest, JSON.stringify({ ...rest, tables: [...tables, 'gone'] }))
    await exportBooks(await book('2'), 'parquet', { out })
    expect(existsSync(join(out, 'gone.parquet'))).toBe(false)
    expect(await read(`select cast(amount as varchar) from '${out}/entries.parquet'`)).toEqual([
      ['2.000000000000000000'],
    ])
    expect(readdirSync(dirname(out))).toEqual(['tables'])
  })

  test('a Parquet file of the user’s among those of an earlier export is never removed', async () => {
    const dir = await book('1')
    const out = temporary('tables')
    await exportBooks(dir, 'parquet', { out })
    writeFileSync(join(out, 'mine.parquet'), 'mine')
    await expect(exportBooks(dir, 'parquet', { out })).rejects.toMatchObject({
      message: 'The output folder contains other files.',
      details: { found: 'mine.parquet' },
    })
    expect(readFileSync(join(out, 'mine.parquet'), 'utf8')).toBe('mine')
  })

  test('what a killed export left is removed, and what it had set aside is restored before anything else', async () => {
    const out = temporary('tables')
    await exportBooks(await book('1'), 'parquet', { out })
    chmodSync(out, 0o700)
    const { pid } = spawnSync(process.execPath, ['--version'])
    const beside = (ending: string): string => join(dirname(out), `.tables.${pid}-${HOST}00c0ffee.${ending}`)
    renameSync(out, beside('old'))
    mkdirSync(beside('tmp'))
    const full: Disk = { ...nodeDisk, rename: () => nodeDisk.rename('/nowhere', '/nowhere') }
    await expect(exportBooks(await book('2'), 'parquet', { out, disk: full })).rejects.toThrow(
      'cannot be written',
    )
    expect(readdirSync(dirname(out))).toEqual(['tables'])
    await exportBooks(await book('2'), 'parquet', { out })
    expect(readdirSync(dirname(out))).toEqual(['tables'])
    expect(statSync(out).mode & 0o777).toBe(0o700)
  })

  test('a folder with other files, and the books themselves, are never replaced', async () => {
    const dir = await book('1')
    const out = temporary('tables')
    mkdirSync(out)
    writeFileSync(join(out, 'thesis.docx'), 'mine')
    const refused = exportBooks(dir, 'parquet', { out })
    await expect(refused).rejects.toThrow(UsageError)
    await expect(refused).rejects.toThrow('The output folder contains other files.')
    expect(readFileSync(join(out, 'thesis.docx'), 'utf8')).toBe('mine')
    await expect(exportBooks(dir, 'parquet', { out: dir })).rejects.toThrow('would replace the books')
    const link = temporary('link')
    symlinkSync(dir, link)
    await expect(exportBooks(dir, 'parquet', { out: link })).rejects.toThrow('would replace the books')
  })

  test('a disk that fails before the folder is complete leaves what was there', async () => {
    const out = temporary('tables')
    await exportBooks(await book('1'), 'parquet', { out })
    const failing: Disk = {
      ...nodeDisk,
      rename: (from, to) =>
        from.endsWith('.tmp') ? nodeDisk.rename(join(from, 'nothing'), to) : nodeDisk.rename(from, to),
    }
    await expect(exportBooks(await book('2'), 'parquet', { out, disk: failing })).rejects.toThrow(
      'cannot be written',
    )
    expect(await read(`select cast(amount as varchar) from '${out}/entries.parquet'`)).toEqual([
      ['1.000000000000000000'],
    ])
    expect(readdirSync(dirname(out))).toEqual(['tables'])
  })
})
