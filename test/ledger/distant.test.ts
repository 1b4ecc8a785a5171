// A published ledger that stands elsewhere, read as if it were a file of the books.
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DistantState, LedgerSource } from '../../pipeline/ledger/distant.ts'
import { NoLedger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { temporaryFolder } from '../support/cli.ts'

interface Elsewhere extends LedgerSource {
  readonly fetched: string[]
  readonly closed: () => boolean
}

function elsewhere(): Elsewhere {
  const fetched: string[] = []
  let isClosed = false
  const state: DistantState = {
    identity: 'a state',
    definitions: [
      'create table main.balances (coin varchar, quantity decimal(38, 18))',
      'create table main.trades (trade_id varchar)',
      "comment on table main.balances is 'What is held.'",
    ],
    fetch: async (connection, table) => {
      fetched.push(table)
      if (table === 'balances') await connection.run("insert into main.balances values ('BTC', 1.5)")
    },
    close: async () => {
      isClosed = true
    },
  }
  return { fetched, closed: () => isClosed, open: async () => state }
}

function booksFolder(): string {
  const dir = temporaryFolder()
  mkdirSync(join(dir, 'tmp'))
  return dir
}

test('a table is fetched once, when a query names it', async () => {
  const source = elsewhere()
  const ledger = await openLedger(booksFolder(), { source })
  expect([...ledger.tables.keys()]).toEqual(['balances', 'trades'])
  expect(source.fetched).toEqual([])
  const question = 'select coin, quantity from balances where coin = $coin'
  expect(await ledger.query(question, { coin: 'BTC' })).toEqual([['BTC', '1.5']])
  expect(await ledger.query(question, { coin: 'ETH' })).toEqual([])
  // As in a published file.
  expect(await ledger.query('select exact_multiply(quantity, quantity) from balances')).toEqual([['2.25']])
  expect(source.fetched).toEqual(['balances'])
  ledger.close()
})

test('two queries at once fetch their tables one after the other', async () => {
  const source = elsewhere()
  const ledger = await openLedger(booksFolder(), { source })
  const both = 'select count(*) from balances, trades'
  expect(await Promise.all([ledger.query(both), ledger.query(both)])).toEqual([[[0]], [[0]]])
  expect(source.fetched).toEqual(['balances', 'trades'])
  ledger.close()
})

test('a connection whose purpose is not stated finds every table', async () => {
  const source = elsewhere()
  const ledger = await openLedger(booksFolder(), { source })
  const session = await ledger.session()
  expect(source.fetched).toEqual(['balances', 'trades'])
  session.end()
  ledger.close()
})

test('it reads no file of the machine, and leaves nothing behind', async () => {
  const dir = booksFolder()
  const source = elsewhere()
  const ledger = await openLedger(dir, { source })
  await expect(ledger.query("select * from read_text('/etc/hostname')")).rejects.toThrow()
  ledger.close()
  expect(readdirSync(join(dir, 'tmp'))).toEqual([])
  expect(source.closed()).toBe(true)
})

test('if nothing is published on the server, a file of the books is not shown instead', async () => {
  const source: LedgerSource = {
    open: async () => {
      throw new NoLedger('There is none.', { action: 'Build.' })
    },
  }
  await expect(openLedger(booksFolder(), { source })).rejects.toThrow(NoLedger)
})
