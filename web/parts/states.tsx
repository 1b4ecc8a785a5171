// Shown in place of figures while they load, if the request failed, or if there are none.
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
      Loading {what} …
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

/** The engine marks the place of an error on a separate line, which is aligned only if the text stays as the engine wrote it. */
function lines(text: string): ComponentChildren {
  const [first = '', ...rest] = text.trim().split('\n')
  if (rest.length === 0) return text
  // The command line indents the lines after the first.
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

/** The answer once it has arrived, else why it has not. The previous answer stays, dimmed, while the next one loads. */
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
