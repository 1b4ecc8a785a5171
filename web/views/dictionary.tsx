// Every published table and column: what it means, what it is built from, and what uses it.
import { useState } from 'preact/hooks'
import type {
  Dictionary as DictionaryAnswer,
  DictionaryTable,
  SchemaColumn,
} from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/marks.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { addressOf, parameters } from '../state/router.ts'
import { count } from '../words/plain.ts'

export function Dictionary() {
  const answer = useAnswer<DictionaryAnswer>('/api/dictionary')
  const [search, setSearch] = useState('')
  return (
    <>
      <Head title="Dictionary">
        Every published table and column, as described in the books themselves, and what each table is built
        from.
      </Head>
      <Answered answer={answer} what="the dictionary">
        {({ tables }) => {
          const found = tables.filter((table) => speaksOf(table, search.trim().toLowerCase()))
          const chosen = tables.find(({ name }) => name === parameters.value.table)
          return (
            <div class="dictionary">
              <nav aria-label="Tables" class="table-list">
                <label class="filter" for="dictionary-search">
                  <span>Tables and columns</span>
                  <input
                    id="dictionary-search"
                    data-filter="search"
                    type="search"
                    value={search}
                    placeholder="gain, coin …"
                    onInput={(event) => setSearch(event.currentTarget.value)}
                  />
                </label>
                <ul>
                  {found.map(({ name }) => (
                    <li key={name}>
                      <a
                        href={addressOf('dictionary', { table: name })}
                        aria-current={name === chosen?.name ? 'page' : undefined}
                      >
                        {name}
                      </a>
                    </li>
                  ))}
                </ul>
                <p class="quiet">
                  {found.length} of {count(tables.length, 'table')}
                </p>
              </nav>
              {chosen === undefined ? <All tables={found} /> : <One table={chosen} />}
            </div>
          )
        }}
      </Answered>
    </>
  )
}

function speaksOf({ name, says, columns }: DictionaryTable, words: string): boolean {
  if (words === '') return true
  return [name, says, ...columns.flatMap((column) => [column.name, column.says])].some((text) =>
    text.toLowerCase().includes(words),
  )
}

function All({ tables }: { readonly tables: readonly DictionaryTable[] }) {
  return (
    <Section title="Published tables">
      {tables.length === 0 ? (
        <Empty title="No table or column mentions this.">Try another word.</Empty>
      ) : (
        <Table
          caption="Published tables"
          rows={tables}
          keyOf={({ name }) => name}
          columns={[
            {
              kind: 'row',
              head: 'Table',
              value: ({ name }) => name,
              show: ({ name }) => <a href={addressOf('dictionary', { table: name })}>{name}</a>,
            },
            { kind: 'text', head: 'What it is', value: ({ says }) => says, wraps: true },
            { kind: 'number', head: 'Rows', value: ({ rows }) => rows },
          ]}
        />
      )}
    </Section>
  )
}

function One({ table }: { readonly table: DictionaryTable }) {
  return (
    <div>
      <Section title={table.name} says={table.says} sql={`select *\nfrom ${table.name}\nlimit 100`}>
        <dl class="facts">
          <div>
            <dt>Grain</dt>
            <dd>{table.grain}</dd>
          </div>
          <div>
            <dt>Keys</dt>
            <dd>{table.keys}</dd>
          </div>
          <div>
            <dt>Rows</dt>
            <dd>{table.rows === null ? 'a view' : <Amount value={String(table.rows)} />}</dd>
          </div>
        </dl>
        <Table<SchemaColumn>
          caption={`Columns of ${table.name}`}
          rows={table.columns}
          keyOf={({ name }) => name}
          columns={[
            { kind: 'row', head: 'Column', value: ({ name }) => name },
            { kind: 'text', head: 'Type', value: ({ type }) => type, isExtra: true },
            { kind: 'text', head: 'Meaning', value: ({ says }) => says, wraps: true },
          ]}
        />
      </Section>
      <Section title="Built from" says="From the table down to feeds, files and configuration.">
        <ul class="lineage">
          {table.madeFrom.map(({ depth, name, says, kind }, at) => (
            <li key={at} class={`depth-${Math.min(depth, 8)}`}>
              {kind === 'table' ? (
                <a href={addressOf('dictionary', { table: name })}>{name}</a>
              ) : (
                <code>{name}</code>
              )}{' '}
              <Badge tone={kind === 'source' ? 'good' : kind === 'table' ? 'note' : 'plain'}>{kind}</Badge>{' '}
              <span class="quiet">{says}</span>
            </li>
          ))}
        </ul>
      </Section>
      {table.usedBy.length === 0 ? null : (
        <Section title="Used by">
          <p class="used-by">
            {table.usedBy.map((name) => (
              <a key={name} href={addressOf('dictionary', { table: name })}>
                {name}
              </a>
            ))}
          </p>
        </Section>
      )}
    </div>
  )
}
