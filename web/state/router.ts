// The address determines what the page shows: the path is the view, each parameter a filter. Back and forward work unaided.
import { computed, signal } from '@preact/signals'

export const VIEWS = [
  'overview',
  'accounts',
  'ledger',
  'proof',
  'lots',
  'gains',
  'breaks',
  'coverage',
  'runs',
  'filings',
  'console',
  'dictionary',
] as const
export type View = (typeof VIEWS)[number]

/** Filters by name, as in the address. */
export type Parameters = Readonly<Record<string, string | undefined>>

const address = signal(read())

function read(): { readonly path: string; readonly search: string } {
  return { path: location.pathname, search: location.search }
}

// A view has its full height only once its figures have loaded, too late for the browser's own scroll restoration. So the page
// restores the scroll position itself.
history.scrollRestoration = 'manual'
let wanted: number | null = heightOf(history.state)

function heightOf(state: unknown): number | null {
  const { y } = (state ?? {}) as { readonly y?: unknown }
  return typeof y === 'number' && y > 0 ? y : null
}

const keepPlace = (): void => history.replaceState({ y: Math.round(scrollY) }, '')
addEventListener('pagehide', keepPlace)
for (const kind of ['wheel', 'pointerdown', 'keydown'])
  addEventListener(kind, () => {
    wanted = null
  })

/** Restores the scroll position as soon as the view is high enough; called when figures have loaded. */
export function returnToPlace(): void {
  if (wanted === null) return
  scrollTo(0, wanted)
  if (Math.abs(scrollY - wanted) < 2) wanted = null
}

addEventListener('popstate', ({ state }) => {
  address.value = read()
  wanted = heightOf(state)
  if (wanted === null) scrollTo(0, 0)
})

/** Adds a history entry; going back from it restores the scroll position of the previous one. */
function push(to: string): void {
  keepPlace()
  wanted = null
  history.pushState(null, '', to)
  address.value = read()
}

/** The view named by the address; null if there is none. */
export const view = computed<View | null>(() => {
  const name = address.value.path.replace(/^\/|\/$/g, '')
  return name === '' ? 'overview' : (VIEWS.find((one) => one === name) ?? null)
})

/** The filters in the address, without empty values. */
export const parameters = computed<Parameters>(() =>
  Object.fromEntries([...new URLSearchParams(address.value.search)].filter(([, value]) => value !== '')),
)

export function addressOf(to: View, given: Parameters = {}): string {
  const path = to === 'overview' ? '/' : `/${to}`
  const query = queryOf(given)
  return query === '' ? path : `${path}?${query}`
}

/** Parameters as a query string: those without a value are omitted; slashes, commas and colons stay readable. */
export function queryOf(given: Parameters): string {
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => (pair[1] ?? '') !== '')
  return new URLSearchParams(pairs)
    .toString()
    .replaceAll('%2F', '/')
    .replaceAll('%2C', ',')
    .replaceAll('%3A', ':')
}

/** Goes to another view. The focused element disappears with the old view, so the next Tab starts at the figures. */
export function go(to: string): void {
  push(to)
  scrollTo(0, 0)
  document.querySelector('main')?.focus({ preventScroll: true })
}

/** Changes some filters of the current view and keeps the others, with a new history entry. */
export function refine(changes: Parameters): void {
  const to = addressOf(view.value ?? 'overview', { ...parameters.value, ...changes })
  if (to === location.pathname + location.search) return
  push(to)
}

/** Removes parameters from the current view's address without a new history entry. */
export function forget(...names: readonly string[]): void {
  const kept = Object.entries(parameters.value).filter(([name]) => !names.includes(name))
  history.replaceState(null, '', addressOf(view.value ?? 'overview', Object.fromEntries(kept)))
  address.value = read()
}

/** Follows links within the page without reloading it. Anything but a plain click is left to the browser. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.composedPath().find((one): one is HTMLAnchorElement => one instanceof HTMLAnchorElement)
  if (link === undefined || link.target !== '' || link.hasAttribute('download')) return
  if (link.origin !== location.origin || link.pathname.startsWith('/api/')) return
  if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return
  event.preventDefault()
  go(link.pathname + link.search)
}
