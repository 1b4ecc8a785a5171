// The books of a demo, served to the tests of one file, and what the command line prints for the same books.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect } from 'vitest'
import { identityOf } from '../../pipeline/ledger/identity.ts'
import { type Ledger, openLedger } from '../../pipeline/ledger/ledger.ts'
import { answerFrom } from '../../pipeline/reports/answer.ts'
import { runQuery } from '../../pipeline/reports/sql.ts'
import type { Rows } from '../../pipeline/serve/api.ts'
import { memoryTerminal } from '../reports/books.ts'
import { demoBooks } from '../support/demo.ts'
import { command } from '../support/in-process.ts'
import { type Serving, startServing } from './serving.ts'

export type Json = Record<string, unknown>

export interface ServedDemo {
  readonly dir: string
  readonly serving: Serving
  /** What a command prints as JSON. */
  readonly printed: <T = Json[]>(...words: string[]) => Promise<T>
  /** As `tieout sql` answers, without a process and a ledger of its own for each query. */
  readonly sql: (query: string) => Promise<Json[]>
  /** Rows of a view, and the same by its own SQL on the command line. */
  readonly mustBeItsSql: <Row>(rows: Rows<Row>, shown?: number) => Promise<void>
  /** All rows of a list, page by page. */
  readonly allPages: <Answer, Row = object>(
    path: string,
    pageOf: (answer: Answer) => { readonly rows: readonly unknown[]; readonly next: string | null },
  ) => Promise<Row[]>
}

/** Serves a copy of the demo's books to the tests of the file; `prepare` is run before the server starts. */
export function servedDemo(prepare: (dir: string) => Promise<unknown> = async () => null): ServedDemo {
  let dir: string
  let serving: Serving & { readonly end: () => Promise<void> }
  /** The published ledger, sealed, until another one is published. */
  let open: Ledger | null = null
  beforeAll(async () => {
    dir = await demoBooks()
    await prepare(dir)
    serving = await startServing(dir)
  })
  afterAll(async () => {
    await serving.end()
    open?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function printed<T = Json[]>(...words: string[]): Promise<T> {
    const { stdout, stderr, code } = await command([...words, '--dir', dir])
    if (code !== 0 && code !== 3) throw new Error(stderr)
    return JSON.parse(stdout) as T
  }

  async function sealed(): Promise<Ledger> {
    if (open !== null && open.identity === identityOf(open.file)) return open
    open?.close()
    open = await openLedger(dir, { sealed: true })
    return open
  }

  async function sql(query: string): Promise<Json[]> {
    const terminal = memoryTerminal()
    const ledger = await sealed()
    await runQuery(dir, query, {
      format: 'json',
      terminal,
      answer: (question, _stopping, deliver) => answerFrom(ledger, question, deliver),
    })
    return JSON.parse(terminal.text())
  }

  async function mustBeItsSql<Row>({ rows, sql: text }: Rows<Row>, shown = rows.length): Promise<void> {
    expect((await sql(text)).slice(0, shown)).toEqual(rows)
  }

  async function allPages<Answer, Row = object>(
    path: string,
    pageOf: (answer: Answer) => { readonly rows: readonly unknown[]; readonly next: string | null },
  ): Promise<Row[]> {
    const rows: Row[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const joint: string = path.includes('?') ? '&' : '?'
      const { rows: found, next }: { readonly rows: readonly unknown[]; readonly next: string | null } =
        pageOf(await serving.get<Answer>(`${path}${joint}cursor=${cursor}`))
      rows.push(...(found as Row[]))
      cursor = next
    }
    return rows
  }

  return {
    get dir() {
      return dir
    },
    get serving() {
      return serving
    },
    printed,
    sql,
    mustBeItsSql,
    allPages,
  }
}
