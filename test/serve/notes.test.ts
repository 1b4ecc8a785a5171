// Notes saved from the page, and books that are published while it is open.
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import type { About, Breaks, Entries, NoteProgress, OneBreak, Runs } from '../../pipeline/serve/api.ts'
import { command } from '../support/in-process.ts'
import { servedDemo } from './served-demo.ts'
import { startServing } from './serving.ts'

const demo = servedDemo()

describe('a note on a break', () => {
  const ended = async (breakId: string): Promise<NoteProgress> => {
    for (;;) {
      const note = await demo.serving.get<NoteProgress | null>('/api/notes/current')
      if (note?.breakId === breakId && !['building', 'noted'].includes(note.state)) return note
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  test('is accepted, published and followed by events; the new ledger is noticed, and no list mixes two ledgers', async () => {
    const [found] = (await demo.serving.get<Breaks>('/api/breaks')).breaks.rows
    const id = String(found?.break_id)
    const first = await demo.serving.get<Entries>('/api/entries')
    const answer = await demo.serving.post(`/api/breaks/${id}/note`, { note: 'Known to the owner.' })
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([202, { breakId: id, state: 'building' }])
    expect((await demo.serving.post(`/api/breaks/${id}/note`, { note: 'Twice.' })).status).toBe(409)
    expect(await ended(id)).toMatchObject({ state: 'published', error: null })
    for (;;) {
      const { stamp } = await demo.serving.get<About>('/api/about')
      if (stamp.publication !== first.stamp.publication) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const one = await demo.serving.get<OneBreak>(`/api/breaks/${id}`)
    expect(one.break.rows).toMatchObject([{ status: 'explained', note: 'Known to the owner.' }])
    expect(one.notes.rows).toMatchObject([
      { note: 'Known to the owner.', is_withdrawn: false, is_of_these_figures: true },
    ])
    await demo.mustBeItsSql(one.notes)
    const headers = { authorization: `Bearer ${demo.serving.secret}` }
    const stale = await demo.serving.ask(`/api/entries?cursor=${first.entries.next}`, { headers })
    expect([stale.status, JSON.parse(stale.text).error.name]).toEqual([409, 'Republished'])
  })

  test('is withdrawn', async () => {
    const [found] = (await demo.serving.get<Breaks>('/api/breaks?status=explained')).breaks.rows
    const id = String(found?.break_id)
    expect((await demo.serving.post(`/api/breaks/${id}/note`, { note: null })).status).toBe(202)
    expect(await ended(id)).toMatchObject({ state: 'published' })
  })

  test('is completed and published even if the server is stopped meanwhile', async () => {
    const { running, get, post } = await startServing(demo.dir)
    const [found] = (await get<Breaks>('/api/breaks')).breaks.rows
    const id = String(found?.break_id)
    expect((await post(`/api/breaks/${id}/note`, { note: 'At the last moment.' })).status).toBe(202)
    running.child.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
    const query = `select status, note from breaks where break_id = '${id}'`
    expect(JSON.parse((await command(['sql', query, '--format', 'json', '--dir', demo.dir])).stdout)).toEqual(
      [{ status: 'explained', note: 'At the last moment.' }],
    )
  })

  test('that is empty, or for an unknown break, is refused', async () => {
    const [found] = (await demo.serving.get<Breaks>('/api/breaks')).breaks.rows
    expect((await demo.serving.post(`/api/breaks/${found?.break_id}/note`, { note: ' ' })).status).toBe(400)
    expect((await demo.serving.post(`/api/breaks/${found?.break_id}/note`, { note: 5 })).status).toBe(400)
    expect((await demo.serving.post('/api/breaks/none/note', { note: 'x' })).status).toBe(404)
  })
})

test('a page of a republished ledger is never mixed with one of the previous ledger', async () => {
  const next = join(demo.dir, 'next.duckdb')
  const instance = await DuckDBInstance.create(next)
  const connection = await instance.connect()
  await connection.run(`attach '${join(demo.dir, 'ledger.duckdb')}' as old (read_only)`)
  await connection.run('copy from database old to next')
  await connection.run('update runs set requests = 424242')
  connection.closeSync()
  instance.closeSync()
  const seen = new Map<string, Set<number>>()
  const look = async (): Promise<void> => {
    for (const { stamp, runs } of await Promise.all(
      [1, 2, 3].map(() => demo.serving.get<Runs>('/api/runs')),
    )) {
      const requests = seen.get(stamp.publication) ?? new Set()
      seen.set(stamp.publication, requests.add(runs.rows[0]?.requests ?? 0))
    }
  }
  await look()
  renameSync(next, join(demo.dir, 'ledger.duckdb'))
  while (![...seen.values()].some((requests) => requests.has(424_242))) await look()
  expect([...seen.values()].every(({ size }) => size === 1)).toBe(true)
  expect(seen.size).toBeGreaterThan(1)
})
