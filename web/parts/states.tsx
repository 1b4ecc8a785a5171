// What stands where there are no figures: being fetched, refused, or none. Each says what to do.
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Failure } from '../../pipeline/serve/api.ts'
import type { Answer } from '../state/answer.ts'
import { showNewest } from '../state/books.ts'
import { returnToPlace } from '../state/router.ts'
import { Icon } from './icon.tsx'
import { Prose } from './prose.tsx'

export function Loading({ what }: { readonly what: string }) {
  return (
    <p class="loading" role="status">
      <span class="spinner" aria-hidden="true" />
      Reading {what} …
    </p>
  )
}

export function FailureNote({
  failure,
  again,
}: {
  readonly failure: Failure['error']
  readonly again?: (() => void) | undefined
}) {
  const facts = [
    ['Where', failure.where],
    ['Expected', failure.expected],
    ['Found', failure.found],
  ].filter((pair): pair is [string, string] => pair[1] !== undefined)
  return (
    <div class="failure" role="alert">
      <Icon name="warning" />
      <div>
        <p class="failure-message">
          <Prose text={failure.message} />
        </p>
        {facts.length === 0 ? null : (
          <dl class="facts">
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{lines(value)}</dd>
              </div>
            ))}
          </dl>
        )}
        <p>
          <Prose text={failure.action} />
        </p>
        {failure.name === 'Republished' ? (
          <button type="button" class="button primary" onClick={showNewest}>
            Show the new books
          </button>
        ) : again === undefined ? null : (
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        )}
      </div>
    </div>
  )
}

/** The engine shows the place of an error by a mark in a line of its own, which is right only as the engine wrote it. */
function lines(text: string): ComponentChildren {
  const [first = '', ...rest] = text.trim().split('\n')
  if (rest.length === 0) return text
  // The command line sets lines in below the first.
  const margin = Math.min(...rest.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)))
  return <pre class="failure-lines">{[first, ...rest.map((line) => line.slice(margin))].join('\n')}</pre>
}

export function Empty({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children === undefined ? null : <p class="quiet">{children}</p>}
    </div>
  )
}

/** The answer when it is there, else why not. What came before stays, dimmed, while the next is under way. */
export function Answered<T>({
  answer,
  what,
  children,
}: {
  readonly answer: Answer<T>
  readonly what: string
  readonly children: (data: T) => ComponentChildren
}) {
  const { data, failure, isLoading, again } = answer
  useEffect(() => {
    if (data !== null && !isLoading) returnToPlace()
  }, [data, isLoading])
  if (failure !== null) return <FailureNote failure={failure} again={again} />
  if (data === null) return isLoading ? <Loading what={what} /> : null
  return (
    <div class={isLoading ? 'answered stale' : 'answered'} aria-busy={isLoading}>
      {children(data)}
    </div>
  )
}
