// Every signed change in every coin, newest first, with the balance after it. Each row links to its proof.
import { useState } from 'preact/hooks'
import type { Entries, EntryFacets, EntryRow, FacetRow } from '../../pipeline/serve/api.ts'
import { Amount } from '../parts/amount.tsx'
import {
  AccountFilter,
  CoinFilter,
  DayFilters,
  Filters,
  Pager,
  SelectFilter,
  TextFilter,
  WalletFilter,
} from '../parts/filters.tsx'
import { ProofLink } from '../parts/marks.tsx'
import { Head, Section } from '../parts/section.tsx'
import { Answered, Empty } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { useAnswer } from '../state/answer.ts'
import { about } from '../state/books.ts'
import { addressOf, parameters, refine } from '../state/router.ts'
import { IMPORT, importedSql } from '../words/imported.ts'
import { count } from '../words/plain.ts'

const NAMES = ['account', 'ledger', 'coin', 'kind', 'symbol', 'from', 'to', 'id']

export function Ledger() {
  const { cursor, ...given } = parameters.value
  const filters = Object.fromEntries(NAMES.map((name) => [name, given[name]]))
  const answer = useAnswer<Entries>('/api/entries', { ...filters, cursor })
  const facets = useAnswer<EntryFacets>('/api/entries/facets', filters)
  const [areCountsOpen, setCountsOpen] = useState(false)
  const total = facets.data?.count.rows[0]?.count
  const known = (facet: FacetRow['facet']): string[] =>
    (facets.data?.facets.rows ?? [])
      .filter((row) => row.facet === facet && row.value !== null)
      .map(({ value }) => value as string)
  return (
    <>
      <Head title="Ledger">
        Every change in every coin, newest first. The time links to the proof of the entry, down to the bytes
        that the venue sent.
      </Head>
      <Filters names={NAMES}>
        <AccountFilter />
        <WalletFilter />
        <CoinFilter />
        <SelectFilter name="kind" label="Kind" all="All kinds" choices={known('kind')} />
        <SelectFilter name="symbol" label="Symbol" all="All symbols" choices={known('symbol')} />
        <DayFilters />
        <TextFilter name="id" label="Entry, transaction or venue ID" placeholder="1492551753504129024" />
      </Filters>
      <div class={areCountsOpen ? 'with-side is-open' : 'with-side'}>
        <Answered answer={answer} what="entries">
          {({ entries }) => (
            <Section
              title={total === undefined ? 'Entries' : count(total, 'entry', 'entries')}
              sql={entries.sql}
              csv={{ view: 'entries', filters }}
              tools={
                <button
                  type="button"
                  class="button small counts"
                  aria-expanded={areCountsOpen}
                  onClick={() => setCountsOpen(!areCountsOpen)}
                >
                  Counts
                </button>
              }
            >
              {entries.rows.length === 0 ? (
                <Empty title="No entries match these filters.">
                  Clear one of them; the counts show where there are entries.
                  {about.value?.ledgers.includes(IMPORT) ? (
                    <>
                      {' '}
                      Rows from imported files are not entries of the venue: they are in{' '}
                      <a
                        href={addressOf('console', {
                          sql: importedSql({ account: filters.account, coin: filters.coin }),
                        })}
                      >
                        the table imported_entries
                      </a>
                      .
                    </>
                  ) : null}
                </Empty>
              ) : (
                <>
                  <EntryTable rows={entries.rows} />
                  <Pager
                    next={entries.next}
                    shown={entries.rows.length}
                    of={total === undefined ? undefined : `${count(total, 'entry', 'entries')} in total`}
                  />
                </>
              )}
            </Section>
          )}
        </Answered>
        <Answered answer={facets} what="counts">
          {(data) => <Facets rows={data.facets.rows} />}
        </Answered>
      </div>
    </>
  )
}

function EntryTable({ rows }: { readonly rows: readonly EntryRow[] }) {
  return (
    <Table
      caption="Entries, newest first"
      rows={rows}
      keyOf={({ entry_id }) => entry_id}
      columns={[
        {
          kind: 'row',
          head: 'Time, UTC',
          value: ({ occurred_at }) => occurred_at,
          show: ({ entry_id, occurred_at }) => (
            <ProofLink id={entry_id}>
              <time class="instant" dateTime={occurred_at}>
                {occurred_at.slice(0, 10)} {occurred_at.slice(11, 19)}
              </time>
            </ProofLink>
          ),
        },
        { kind: 'text', head: 'Account', value: ({ account }) => account },
        { kind: 'text', head: 'Wallet', value: ({ ledger }) => ledger, isExtra: true },
        {
          kind: 'text',
          head: 'Kind',
          value: ({ kind }) => kind,
          show: ({ kind, type }) => <span title={type ?? undefined}>{kind.replaceAll('_', ' ')}</span>,
        },
        { kind: 'text', head: 'Symbol', value: ({ symbol }) => symbol, isExtra: true },
        { kind: 'amount', head: 'Amount', value: ({ amount }) => amount },
        { kind: 'text', head: 'Coin', value: ({ coin }) => coin },
        { kind: 'amount', head: 'Balance', value: ({ balance }) => balance },
      ]}
    />
  )
}

const FACETS: readonly { readonly facet: FacetRow['facet']; readonly name: string }[] = [
  { facet: 'kind', name: 'Kind' },
  { facet: 'coin', name: 'Coin' },
  { facet: 'account', name: 'Account' },
  { facet: 'ledger', name: 'Wallet' },
  { facet: 'symbol', name: 'Symbol' },
]
const FIRST = 8

function Facets({ rows }: { readonly rows: readonly FacetRow[] }) {
  return (
    <aside class="facets" aria-label="Counts for these filters">
      {FACETS.map(({ facet, name }) => (
        <Facet key={facet} facet={facet} name={name} rows={rows.filter((row) => row.facet === facet)} />
      ))}
    </aside>
  )
}

function Facet({
  facet,
  name,
  rows,
}: {
  readonly facet: FacetRow['facet']
  readonly name: string
  readonly rows: readonly FacetRow[]
}) {
  const [isWhole, setWhole] = useState(false)
  const given = parameters.value[facet] ?? ''
  // A name that contains a comma can only be chosen alone: in a list it could not be told from several names.
  const isAlone = (value: string): boolean => value.includes(',')
  const chosen = rows.some(({ value }) => value === given)
    ? [given]
    : given.split(',').filter((one) => one !== '')
  if (rows.length === 0) return null
  const toggle = (value: string): void => {
    const others = isAlone(value) ? [] : chosen.filter((one) => one !== value && !isAlone(one))
    refine({ [facet]: [...others, ...(chosen.includes(value) ? [] : [value])].join(','), cursor: undefined })
  }
  return (
    <section>
      <h3>{name}</h3>
      <ul>
        {rows.slice(0, isWhole ? rows.length : FIRST).map(({ value, count: number }) => (
          <li key={value}>
            {value === null ? (
              <span class="facet quiet">
                <span>none</span>
                <span class="tabular">
                  <Amount value={String(number)} />
                </span>
              </span>
            ) : (
              <button
                type="button"
                class="facet"
                aria-pressed={chosen.includes(value)}
                onClick={() => toggle(value)}
              >
                <span>{facet === 'kind' ? value.replaceAll('_', ' ') : value}</span>
                <span class="tabular">
                  <Amount value={String(number)} />
                </span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {rows.length > FIRST ? (
        <button type="button" class="button small" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer' : `${rows.length - FIRST} more`}
        </button>
      ) : null}
    </section>
  )
}
