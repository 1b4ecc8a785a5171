// A section of a view: its heading, a line of explanation, and links to the query behind its figures and to its rows as CSV.
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { CsvView } from '../../pipeline/serve/api.ts'
import { addressOf, type Parameters, queryOf } from '../state/router.ts'
import { Icon } from './icon.tsx'

interface Props {
  readonly title: string
  readonly says?: ComponentChildren
  /** The query behind the figures. */
  readonly sql?: string | undefined
  readonly csv?: { readonly view: CsvView; readonly filters: Parameters } | undefined
  readonly tools?: ComponentChildren
  readonly children: ComponentChildren
  readonly isPlain?: boolean
}

export function Section({ title, says, sql, csv, tools, children, isPlain }: Props) {
  const id = useId()
  return (
    <section class={isPlain ? 'section plain' : 'section'} aria-labelledby={id}>
      <header class="section-head">
        <div>
          <h2 id={id}>{title}</h2>
          {says === undefined ? null : <p class="quiet says">{says}</p>}
        </div>
        <div class="tools">
          {tools}
          {sql === undefined ? null : (
            <a
              class="button small"
              href={addressOf('console', { sql })}
              title={`Open the query for “${title}” in the console`}
            >
              <Icon name="sql" /> SQL<span class="unseen"> for {title}</span>
            </a>
          )}
          {csv === undefined ? null : (
            <a
              class="button small"
              href={csvAddress(csv.view, csv.filters)}
              download
              title={`Download all rows of “${title}” that match these filters`}
            >
              <Icon name="download" /> CSV<span class="unseen"> of {title}</span>
            </a>
          )}
        </div>
      </header>
      {children}
    </section>
  )
}

function csvAddress(view: CsvView, filters: Parameters): string {
  const query = queryOf(filters)
  return query === '' ? `/api/csv/${view}` : `/api/csv/${view}?${query}`
}

/** Head of a view. */
export function Head({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <header class="view-head">
      <h1>{title}</h1>
      {children === undefined ? null : <p class="quiet">{children}</p>}
    </header>
  )
}
