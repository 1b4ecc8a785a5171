// Reads lists whose cursor is the id of a row and which time alone cannot divide: the rows of one instant, and feeds
// for which it is not documented which of a row's times the window filters by. Such a cursor does not always mean what
// its name says ("rows after this one" has been seen as well as "ids below this one"), so the pages prove the list only
// if they rule out every other meaning. Sources: interface document, part 1 (pagination), 4.5 and 4.23; venue-facts,
// Paging.

import type { Range } from '../models/ranges.ts'
import type { Endpoint } from './endpoint.ts'
import { idOf, lastId, type Page } from './envelope.ts'
import { isFull, namelessPage } from './pages.ts'
import {
  apart,
  goOn,
  inHalves,
  isInstant,
  type ListQuestion,
  type Step,
  shared,
  timesOf,
  type WalkState,
  windowOf,
  within,
} from './walk-state.ts'

/** A feed for which only a window paged to its end is proven, and whose cursor is the id of a row. */
export function readById(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  if (state.question?.kind === 'list') return followList(endpoint, state, state.question, page, shown)
  if (page.rows.length === 0) return goOn(endpoint, state, shared(state.window, shown))
  return beginList(endpoint, state, page, shown)
}

/** The first page of a list, which has rows. */
export function beginList(endpoint: Endpoint, state: WalkState, page: Page, shown: Range): Step {
  const ids = idsOf(endpoint, page)
  const times = timesOf(endpoint, page)
  const question: ListQuestion = {
    kind: 'list',
    ids,
    instant: new Set(times).size === 1 ? (times[0] as number) : null,
    lastAt: times.at(-1) ?? null,
    falls: isFalling([...ids]),
    isSound: true,
    isShort: !isFull(endpoint, page),
    shown,
  }
  return turn(endpoint, state, page, question)
}

/** A page after the first. */
export function followList(
  endpoint: Endpoint,
  state: WalkState,
  question: ListQuestion,
  page: Page,
  shown: Range,
): Step {
  const seen = {
    ...question,
    shown: { ...question.shown, start: Math.max(question.shown.start, shown.start) },
  }
  if (page.rows.length === 0) return end(endpoint, state, seen, seen.isShort || isEnd(state, seen))
  const told = windowOf(endpoint).proves === 'rows' ? within(endpoint, state.window, page) : page
  const fresh = newIds(endpoint, told, seen.ids)
  if (fresh.length === 0) return end(endpoint, state, seen, seen.isShort)
  const ids = new Set([...seen.ids, ...fresh])
  const isSound = seen.isSound && fresh.length === told.rows.length && leadsOn(state.cursor, seen)
  if (!isSound && !isInstant(state.window)) return divided(endpoint, state, seen)
  const times = timesOf(endpoint, page)
  // Both pages have rows of one instant: their order is not known, so one of them may be on neither page.
  if (times[0] !== undefined && times[0] === seen.lastAt && !isInstant(state.window))
    return divided(endpoint, state, { ...seen, instant: times[0] })
  const falls = seen.falls && isFalling([...ids])
  return turn(endpoint, state, page, {
    ...seen,
    ids,
    lastAt: times.at(-1) ?? null,
    falls,
    isSound,
    isShort: false,
  })
}

/**
 * Whether an empty page after the cursor's row means that the list has ended. A lone full page may be the far end of a
 * list in reverse order. A window is then divided; for an instant there is no other way to ask.
 */
function isEnd(state: WalkState, question: ListQuestion): boolean {
  const mayBeTurned = state.cursors.length === 1 && !isInstant(state.window)
  return question.isSound && !mayBeTurned && leadsOn(state.cursor, question)
}

/**
 * Whether rows that are all new can only be those that follow the cursor's row in the list. Taken literally, the cursor
 * would have returned known rows again if any had a smaller id; if none has, only falling ids are a proof.
 */
function leadsOn(cursor: string | null, { ids, falls }: ListQuestion): boolean {
  const least = numberOf(cursor)
  if (least === null) return false
  return falls || [...ids].some((id) => (numberOf(id) ?? least) < least)
}

const numberOf = (id: string | null): bigint | null => (id !== null && /^\d+$/.test(id) ? BigInt(id) : null)

function isFalling(ids: readonly string[]): boolean {
  const numbers = ids.map(numberOf)
  return numbers.every((number, place) => {
    const before = numbers[place - 1]
    return number !== null && (place === 0 || (before != null && number < before))
  })
}

/**
 * Requests the page after the last row. An answer's own cursor is the smallest id, which is the last row's only if ids
 * fall.
 */
function turn(endpoint: Endpoint, state: WalkState, page: Page, question: ListQuestion): Step {
  const cursor = page.cursor === null && question.isShort ? null : lastId(endpoint, page.rows)
  if (cursor === null && isFull(endpoint, page)) throw namelessPage(endpoint)
  if (cursor === null) return end(endpoint, state, question, question.isSound)
  if (state.cursors.includes(cursor)) return end(endpoint, state, question, false)
  const next = { ...state, cursor, cursors: [...state.cursors, cursor], question }
  return { covers: null, unproven: null, next }
}

/** The list has ended. Without a proof a window is divided, and an instant is reported as unproven. */
function end(endpoint: Endpoint, state: WalkState, question: ListQuestion, isProven: boolean): Step {
  if (isProven) return goOn(endpoint, state, shared(state.window, question.shown))
  if (!isInstant(state.window)) return divided(endpoint, state, question)
  return { ...goOn(endpoint, state, null), unproven: state.window }
}

/** Smaller windows instead of one: split at the time that its rows share, if there is one, otherwise in the middle. */
function divided(endpoint: Endpoint, state: WalkState, { instant }: ListQuestion): Step {
  const { start, end } = state.window
  return instant !== null && start <= instant && instant <= end
    ? apart(endpoint, state, instant)
    : inHalves(endpoint, state, state.window)
}

/** Ids of the rows that have one, in order. */
export const idsOf = (endpoint: Endpoint, { rows }: Page): ReadonlySet<string> =>
  new Set(rows.map((row) => idOf(endpoint, row)).filter((id) => id !== null))

/** Ids on the page that are not among the known ones. */
export const newIds = (endpoint: Endpoint, page: Page, known: ReadonlySet<string>): string[] =>
  [...idsOf(endpoint, page)].filter((id) => !known.has(id))
