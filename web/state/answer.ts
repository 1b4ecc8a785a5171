// Requests to the server: one answer, further pages of it, and lines as they arrive.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Failure, Stamped } from '../../pipeline/serve/api.ts'
import { generation, isOfTheseBooks } from './books.ts'
import { failureOf, RequestFailed, refusalOf } from './failure.ts'
import { type Parameters, queryOf } from './router.ts'

export interface Answer<T> {
  /** The latest answer; it stays while the next one loads. */
  readonly data: T | null
  readonly isLoading: boolean
  readonly failure: Failure['error'] | null
  readonly again: () => void
}

export async function ask<T>(path: string, given: Parameters, signal?: AbortSignal): Promise<T> {
  const query = queryOf(given)
  const answer = await fetch(query === '' ? path : `${path}?${query}`, {
    headers: { accept: 'application/json' },
    ...(signal === undefined ? {} : { signal }),
  })
  if (!answer.ok) throw await refusalOf(answer)
  const data = (await answer.json()) as T
  const stamped = data as Partial<Stamped> | null
  if (stamped?.stamp !== undefined && !isOfTheseBooks(stamped.stamp)) throw replaced()
  return data
}

/** A request that does not only read: JSON in, JSON or nothing out. */
export async function send<T>(path: string, body: object): Promise<T | null> {
  const answer = await post(path, body)
  return answer.status === 204 ? null : ((await answer.json()) as T)
}

/** Lines of JSON, each yielded as soon as it is complete. */
export async function* lines<T>(answer: Response): AsyncGenerator<T> {
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = parts.pop() as string
    for (const part of parts) if (part !== '') yield JSON.parse(part) as T
  }
  if (rest !== '') yield JSON.parse(rest) as T
}

export async function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
  if (!answer.ok) throw await refusalOf(answer)
  return answer
}

/** The error for an answer that comes from other books than those on the page. */
export function replaced(): RequestFailed {
  return new RequestFailed(
    {
      name: 'Republished',
      message: 'New books were published while you were reading.',
      action: 'Show the new books. Figures from two publications are never shown side by side.',
    },
    409,
  )
}

interface State<T> extends Omit<Answer<T>, 'again'> {
  /** The request that the state belongs to. */
  readonly key: string | null
}

/** The server's answer for a path and parameters, requested again whenever either changes. A null path requests nothing. */
export function useAnswer<T>(path: string | null, given: Parameters = {}): Answer<T> {
  const key = path === null ? null : `${path}?${queryOf(given)}`
  const [state, setState] = useState<State<T>>({ key: null, data: null, isLoading: true, failure: null })
  const [count, setCount] = useState(0)
  const asked = useRef(given)
  asked.current = given
  const round = generation.value
  useEffect(() => {
    if (path === null) return setState({ key, data: null, isLoading: false, failure: null })
    const abort = new AbortController()
    setState((before) => ({ ...before, isLoading: true }))
    ask<T>(path, asked.current, abort.signal).then(
      (data) => abort.signal.aborted || setState({ key, data, isLoading: false, failure: null }),
      (thrown: unknown) => {
        if (!abort.signal.aborted)
          setState((before) => ({ ...before, key, isLoading: false, failure: failureOf(thrown) }))
      },
    )
    return () => abort.abort()
  }, [key, round, count])
  const { data, failure } = state
  return { data, failure, isLoading: state.isLoading || state.key !== key, again: () => setCount(count + 1) }
}
