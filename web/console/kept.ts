// What the browser keeps for the console: the draft, past queries and saved queries. It never leaves the browser.
import { signal } from '@preact/signals'

export interface Saved {
  readonly name: string
  readonly sql: string
}

const PLACE = 'tieout.console'
const HISTORY_MAX = 50

interface Kept {
  readonly draft: string
  readonly history: readonly string[]
  readonly saved: readonly Saved[]
}

export const kept = signal<Kept>(read())

function read(): Kept {
  const nothing: Kept = { draft: '', history: [], saved: [] }
  try {
    return { ...nothing, ...(JSON.parse(localStorage.getItem(PLACE) ?? '{}') as Partial<Kept>) }
  } catch {
    return nothing
  }
}

function keep(change: Partial<Kept>): void {
  kept.value = { ...kept.value, ...change }
  try {
    localStorage.setItem(PLACE, JSON.stringify(kept.value))
  } catch {
    // Storage is full or not allowed: the console works without it.
  }
}

export const keepDraft = (draft: string): void => keep({ draft })

export function remember(sql: string): void {
  if (sql.trim() === '') return
  keep({ history: [sql, ...kept.value.history.filter((one) => one !== sql)].slice(0, HISTORY_MAX) })
}

export function save(name: string, sql: string): void {
  keep({ saved: [...kept.value.saved.filter((one) => one.name !== name), { name, sql }] })
}

export function drop(name: string): void {
  keep({ saved: kept.value.saved.filter((one) => one.name !== name) })
}
