// Querying the books in SQL: editor, rows, and what the browser remembers. A link may fill the editor, but only the user can
// run the query.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Completion, ConsoleEnd, ConsoleExamples, ConsoleSchema } from '../../pipeline/serve/api.ts'
import { type Editor, openEditor } from '../console/editor.ts'
import { Grid, tabbed } from '../console/grid.tsx'
import { drop, keepDraft, kept, remember, save } from '../console/kept.ts'
import { QuickChart } from '../console/quick-chart.tsx'
import { cancel, download, elapsedMs, type Result, result, run } from '../console/run.ts'
import { Schema } from '../console/schema.tsx'
import { Icon } from '../parts/icon.tsx'
import { Badge, Instant } from '../parts/marks.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Empty, FailureNote } from '../parts/states.tsx'
import { send, useAnswer } from '../state/answer.ts'
import { stamp } from '../state/books.ts'
import { failureOf } from '../state/failure.ts'
import { forget, parameters } from '../state/router.ts'
import { copy, say } from '../state/toasts.ts'
import { all, count } from '../words/plain.ts'

const TIMEOUTS = [30, 120, 600]

export function Console() {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<Editor | null>(null)
  const [timeout, setTimeout_] = useState(30)
  const schema = useAnswer<ConsoleSchema>('/api/console/schema')
  const examples = useAnswer<ConsoleExamples>('/api/console/examples')
  const given = parameters.value.sql
  const seconds = useRef(timeout)
  seconds.current = timeout
  // Text filled in by a link is not a draft until the user edits it.
  const linked = useRef(given)
  const wrote = (text: string): void => {
    if (text === linked.current) return
    if (linked.current !== undefined) {
      linked.current = undefined
      remember(kept.value.draft)
      forget('sql')
    }
    keepDraft(text)
  }
  const start = (sql: string): void => {
    if (sql.trim() === '') return
    remember(sql)
    void run(sql, seconds.current)
  }
  useEffect(() => {
    const opened = openEditor(host.current as HTMLElement, {
      text: given ?? kept.value.draft,
      onRun: () => start(opened.chosen()),
      onChange: wrote,
      complete: async (sql, position) =>
        (await send<Completion>('/api/console/complete', { sql, position })) ?? { suggestions: [] },
    })
    editor.current = opened
    return () => opened.destroy()
  }, [])
  useEffect(() => {
    if (schema.data !== null) editor.current?.know(schema.data)
  }, [schema.data])
  useEffect(() => {
    if (given === undefined || editor.current?.text() === given) return
    linked.current = given
    editor.current?.replace(given)
  }, [given])
  const fill = (sql: string): void => {
    remember(editor.current?.text() ?? '')
    editor.current?.replace(sql)
    editor.current?.focus()
  }
  const fetchAll = (format: 'csv' | 'parquet'): void => {
    download(editor.current?.chosen() ?? '', format).catch((thrown: unknown) =>
      say(failureOf(thrown).message, 'bad'),
    )
  }
  const shown = result.value
  const isRunning = shown !== null && shown.state !== 'ended'
  return (
    <>
      <Head title="Console">
        Query the published books in DuckDB’s SQL. It is read-only: nothing you run here changes anything.
      </Head>
      <div class="console">
        <div class="console-main">
          <div class="editor" ref={host} />
          <div class="console-bar">
            {isRunning ? (
              <button type="button" class="button primary" data-cancel onClick={() => void cancel()}>
                <Icon name="stop" /> Cancel
              </button>
            ) : (
              <button
                type="button"
                class="button primary"
                data-run
                title="Ctrl Enter"
                onClick={() => start(editor.current?.chosen() ?? '')}
              >
                <Icon name="play" /> Run
              </button>
            )}
            <button
              type="button"
              class="button"
              onClick={() => start(`explain ${editor.current?.chosen() ?? ''}`)}
            >
              Explain
            </button>
            <button type="button" class="button" title="Download all rows" onClick={() => fetchAll('csv')}>
              <Icon name="download" /> CSV
            </button>
            <button
              type="button"
              class="button"
              title="Download all rows"
              onClick={() => fetchAll('parquet')}
            >
              <Icon name="download" /> Parquet
            </button>
            <label class="filter inline" for="timeout">
              <span>Time limit</span>
              <select
                id="timeout"
                value={timeout}
                onChange={(event) => setTimeout_(Number(event.currentTarget.value))}
              >
                {TIMEOUTS.map((one) => (
                  <option key={one} value={one}>
                    {one < 60 ? `${one} s` : `${one / 60} min`}
                  </option>
                ))}
              </select>
            </label>
            <Shelf
              examples={examples.data?.examples ?? []}
              fill={fill}
              text={() => editor.current?.text() ?? ''}
            />
          </div>
          {shown === null ? (
            <Empty title="No query has been run yet.">
              Write a query and press <kbd>Ctrl</kbd> <kbd>Enter</kbd>, choose an example, or open a query
              with the SQL button in any view. If text is selected, only the selection runs.
            </Empty>
          ) : (
            <Shown shown={shown} />
          )}
        </div>
        {schema.failure === null ? null : <FailureNote failure={schema.failure} again={schema.again} />}
        {schema.data === null ? null : (
          <Schema schema={schema.data} take={(text) => editor.current?.insert(text)} />
        )}
      </div>
    </>
  )
}

/** Examples, past queries and saved queries. */
function Shelf({
  examples,
  fill,
  text,
}: {
  readonly examples: ConsoleExamples['examples']
  readonly fill: (sql: string) => void
  readonly text: () => string
}) {
  const { history, saved } = kept.value
  const [name, setName] = useState<string | null>(null)
  const choose = (value: string): void => {
    const [shelf, at] = [value.slice(0, 1), Number(value.slice(1))]
    const sql = shelf === 'e' ? examples[at]?.sql : shelf === 's' ? saved[at]?.sql : history[at]
    if (sql !== undefined) fill(sql)
  }
  return (
    <>
      <label class="filter inline" for="shelf">
        <span>Open</span>
        <select
          id="shelf"
          value=""
          onChange={(event) => {
            choose(event.currentTarget.value)
            event.currentTarget.value = ''
          }}
        >
          <option value="">Choose a query …</option>
          {saved.length === 0 ? null : (
            <optgroup label="Saved in this browser">
              {saved.map((one, at) => (
                <option key={one.name} value={`s${at}`}>
                  {one.name}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label="Examples">
            {examples.map(({ title }, at) => (
              <option key={title} value={`e${at}`}>
                {title}
              </option>
            ))}
          </optgroup>
          {history.length === 0 ? null : (
            <optgroup label="Earlier queries">
              {history.map((sql, at) => (
                <option key={sql} value={`h${at}`}>
                  {sql.replace(/\s+/g, ' ').slice(0, 60)}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </label>
      {name === null ? (
        <button type="button" class="button small" onClick={() => setName('')}>
          Save …
        </button>
      ) : (
        <form
          class="save-form"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() !== '') save(name.trim(), text())
            setName(null)
          }}
        >
          <label class="filter inline" for="save-name">
            <span>Name</span>
            <input id="save-name" value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
          <button type="submit" class="button small">
            Save
          </button>
          {saved.some((one) => one.name === name) ? (
            <button
              type="button"
              class="button small"
              onClick={() => {
                drop(name)
                setName(null)
              }}
            >
              Delete
            </button>
          ) : null}
        </form>
      )}
    </>
  )
}

function Shown({ shown }: { readonly shown: Result }) {
  const [isChart, setChart] = useState(false)
  const { columns, rows, failure } = shown
  const put = (hasHead: boolean): void => void copy(tabbed(columns, rows, hasHead), count(rows.length, 'row'))
  return (
    <Section
      title="Rows"
      isPlain
      says={<Says shown={shown} />}
      tools={
        rows.length === 0 ? null : (
          <>
            <button
              type="button"
              class="button small"
              aria-pressed={isChart}
              onClick={() => setChart(!isChart)}
            >
              {isChart ? 'Rows' : 'Chart'}
            </button>
            <button type="button" class="button small" onClick={() => put(true)}>
              Copy with headings
            </button>
            <button type="button" class="button small" onClick={() => put(false)}>
              Copy without
            </button>
          </>
        )
      }
    >
      {failure === null ? null : <FailureNote failure={failure} />}
      {columns.length === 0 ? null : isChart ? (
        <QuickChart columns={columns} rows={rows} />
      ) : (
        <Grid columns={columns} rows={rows} />
      )}
    </Section>
  )
}

/** The state of the query, also announced to screen readers. Missing rows are always stated explicitly. */
function Says({ shown: { state, ahead, rows, end, stamp: asked } }: { readonly shown: Result }) {
  const seconds = `${((end?.elapsedMs ?? elapsedMs.value) / 1000).toFixed(state === 'ended' ? 2 : 1)} s`
  return (
    <span role="status" class="figures-in-line">
      {state === 'waiting'
        ? ahead > 0
          ? `Waiting behind ${count(ahead, 'query', 'queries')} …`
          : 'Sent …'
        : null}
      {state === 'running' ? `Running, ${seconds}; ${count(rows.length, 'row')} so far` : null}
      {end === null ? null : END[end.how](end, seconds)}
      {asked === null || asked.publication === stamp.value?.publication ? null : (
        <>
          {' '}
          <Badge tone="warn">other books</Badge> This query ran on the books published at{' '}
          <Instant at={asked.publishedAt} /> UTC, not on the ones named above.
        </>
      )}
    </span>
  )
}

const END: Readonly<Record<ConsoleEnd['how'], (end: ConsoleEnd, seconds: string) => ComponentChildren>> = {
  complete: ({ rows }, seconds) => `${all(rows, 'row')}, in ${seconds}.`,
  cut: ({ rows, limit }, seconds) => (
    <>
      <Badge tone="warn">cut</Badge> The first {count(rows, 'row')}, in {seconds}. There are more rows: the
      screen shows at most {limit ?? 'these'}. Download CSV or Parquet for all of them.
    </>
  ),
  stopped: ({ rows }, seconds) => (
    <>
      <Badge tone="warn">stopped</Badge> after {seconds} and {count(rows, 'row')}; there may be more.
    </>
  ),
  failed: (_, seconds) => (
    <>
      <Badge tone="bad">failed</Badge> after {seconds}.
    </>
  ),
}
