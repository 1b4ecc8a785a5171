// Keyboard shortcuts: `g` and a letter opens a view, `?` shows the shortcuts, `/` focuses the first filter. Keys typed into a
// field are left to the field.
import { signal } from '@preact/signals'
import { addressOf, go, type View } from '../state/router.ts'

export const KEYS: Readonly<Record<View, string>> = {
  overview: 'o',
  accounts: 'a',
  ledger: 'l',
  proof: 'p',
  lots: 't',
  gains: 'g',
  breaks: 'b',
  coverage: 'c',
  runs: 'r',
  filings: 'f',
  console: 'q',
  dictionary: 'd',
}

export const isHelpOpen = signal(false)

/** How long after `g` the second key is accepted. */
const SEQUENCE_MS = 1_500

export function listenToKeys(): void {
  let begun = Number.NEGATIVE_INFINITY
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
    if (event.key === 'g' && event.timeStamp - begun > SEQUENCE_MS) {
      begun = event.timeStamp
      return
    }
    const isSecond = event.timeStamp - begun <= SEQUENCE_MS
    begun = Number.NEGATIVE_INFINITY
    const view = isSecond ? (Object.keys(KEYS) as View[]).find((one) => KEYS[one] === event.key) : undefined
    if (view !== undefined) {
      event.preventDefault()
      isHelpOpen.value = false
      go(addressOf(view))
    } else if (event.key === '?') {
      event.preventDefault()
      isHelpOpen.value = true
    } else if (event.key === '/') {
      const first = document.querySelector<HTMLElement>('main [data-filter]')
      if (first === null) return
      event.preventDefault()
      first.focus()
    }
  })
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0]
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}
