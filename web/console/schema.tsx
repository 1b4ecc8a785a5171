// Tables and columns with their meanings, to look up and to insert into the query.
import { useState } from 'preact/hooks'
import type { ConsoleSchema } from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import { addressOf } from '../state/router.ts'
import { count } from '../words/plain.ts'

export function Schema({
  schema,
  take,
}: {
  readonly schema: ConsoleSchema
  readonly take: (text: string) => void
}) {
  const [search, setSearch] = useState('')
  const words = search.toLowerCase()
  const tables = schema.tables.filter(
    ({ name, says, columns }) =>
      words === '' ||
      name.includes(words) ||
      says.toLowerCase().includes(words) ||
      columns.some((column) => column.name.includes(words)),
  )
  return (
    <aside class="schema" aria-label="Tables">
      <label class="filter" for="schema-search">
        <span>Tables and columns</span>
        <input
          id="schema-search"
          type="search"
          value={search}
          placeholder="entries, coin …"
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      </label>
      <ul>
        {tables.map((table) => (
          <li key={table.name}>
            <details>
              <summary title={table.says}>
                <code>{table.name}</code>{' '}
                <span class="quiet tabular">
                  {table.rows === null ? 'view' : <Amount value={String(table.rows)} />}
                </span>
              </summary>
              <p class="quiet">{table.says}</p>
              <p class="schema-tools">
                <button type="button" class="button small" onClick={() => take(table.name)}>
                  Insert<span class="unseen"> {table.name}</span>
                </button>
                <a href={addressOf('dictionary', { table: table.name })}>
                  Lineage<span class="unseen"> of {table.name}</span>
                </a>
              </p>
              <ul class="schema-columns">
                {table.columns.map(({ name, type, says }) => (
                  <li key={name}>
                    <button type="button" class="link" title={says} onClick={() => take(name)}>
                      <code>{name}</code>
                    </button>{' '}
                    <span class="quiet">{type.toLowerCase()}</span>
                    <span class="column-says">{says}</span>
                  </li>
                ))}
              </ul>
            </details>
          </li>
        ))}
      </ul>
      <p class="quiet">{count(tables.length, 'table')}</p>
    </aside>
  )
}
