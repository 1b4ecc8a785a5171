// The page around the views: navigation, stamp, and the view named in the address. Views are loaded on demand.
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { About } from '../../pipeline/serve/api.ts'
import { Patterns } from '../charts/patterns.tsx'
import { Icon } from '../parts/icon.tsx'
import { Prose } from '../parts/prose.tsx'
import { Empty, FailureNote, Loading } from '../parts/states.tsx'
import { useAnswer } from '../state/answer.ts'
import { about, setClock } from '../state/books.ts'
import { failureOf } from '../state/failure.ts'
import { addressOf, type View, view } from '../state/router.ts'
import { Help } from './help.tsx'
import { isHelpOpen, KEYS } from './keys.ts'
import { GROUPS, NAMES } from './names.ts'
import { NewerBooks, StampBar, UnopenedBooks } from './stamp.tsx'
import { Toasts } from './toasts.tsx'

const LOADERS: Readonly<Record<View, () => Promise<ComponentType>>> = {
  overview: async () => (await import('../views/overview.tsx')).Overview,
  accounts: async () => (await import('../views/accounts.tsx')).Accounts,
  ledger: async () => (await import('../views/ledger.tsx')).Ledger,
  proof: async () => (await import('../views/proof.tsx')).Proof,
  lots: async () => (await import('../views/lots.tsx')).Lots,
  gains: async () => (await import('../views/gains.tsx')).Gains,
  breaks: async () => (await import('../views/breaks.tsx')).Breaks,
  coverage: async () => (await import('../views/coverage.tsx')).Coverage,
  runs: async () => (await import('../views/runs.tsx')).Runs,
  filings: async () => (await import('../views/filings.tsx')).Filings,
  console: async () => (await import('../views/console.tsx')).Console,
  dictionary: async () => (await import('../views/dictionary.tsx')).Dictionary,
}

export function App() {
  const shown = view.value
  const isMenuOpen = useSignal(false)
  const menu = useRef<HTMLButtonElement>(null)
  const answer = useAnswer<About>('/api/about')
  useEffect(() => {
    if (answer.data === null) return
    about.value = answer.data
    setClock(answer.data.now)
  }, [answer.data])
  useEffect(() => {
    document.title = shown === null || shown === 'overview' ? 'tieout' : `${NAMES[shown]} · tieout`
    isMenuOpen.value = false
  }, [shown])
  useEffect(() => {
    const closeMenu = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || !isMenuOpen.value) return
      isMenuOpen.value = false
      menu.current?.focus()
    }
    addEventListener('keydown', closeMenu)
    return () => removeEventListener('keydown', closeMenu)
  }, [])
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class={isMenuOpen.value ? 'side is-open' : 'side'}>
        <div class="brand-line">
          <a class="brand" href="/">
            <Mark />
            tieout
          </a>
          <button
            ref={menu}
            type="button"
            class="icon-button menu"
            aria-expanded={isMenuOpen.value}
            aria-controls="navigation"
            aria-label="Menu"
            onClick={() => {
              isMenuOpen.value = !isMenuOpen.value
            }}
          >
            <Icon name={isMenuOpen.value ? 'close' : 'menu'} />
          </button>
        </div>
        <nav id="navigation" aria-label="Views">
          {GROUPS.map(({ name, views }) => (
            <div key={name} class="nav-group">
              <p class="nav-title">{name}</p>
              <ul>
                {views.map((one) => (
                  <li key={one.view}>
                    <a href={addressOf(one.view)} aria-current={one.view === shown ? 'page' : undefined}>
                      <Icon name={one.icon} />
                      <span>{one.name}</span>
                      <kbd>g {KEYS[one.view]}</kbd>
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
          <div class="side-foot quiet">
            <button type="button" class="button small" onClick={() => (isHelpOpen.value = true)}>
              <Icon name="help" /> Shortcuts
            </button>
            {about.value === null ? null : (
              <>
                <p title={about.value.dir} class="where">
                  {about.value.dir}
                </p>
                <p>
                  tieout {about.value.version}
                  {about.value.isReadOnly ? ', read-only' : ''}
                </p>
              </>
            )}
          </div>
        </nav>
      </header>
      <div class="body">
        <StampBar />
        <NewerBooks />
        <UnopenedBooks />
        <main id="main" tabIndex={-1}>
          {shown === null ? (
            <Empty title="Unknown view.">
              There is no view at this address. Choose one from the navigation, or press <kbd>g</kbd>{' '}
              <kbd>o</kbd>.
            </Empty>
          ) : answer.failure !== null && about.value === null ? (
            <FailureNote failure={answer.failure} again={answer.again} />
          ) : about.value !== null &&
            about.value.stamp === null &&
            answer.data?.stamp === null &&
            shown !== 'runs' ? (
            <Empty title="No books have been published yet.">
              <Prose text="Run `tieout nightly`, or `tieout build` if everything has been fetched. This page shows the books as soon as they are published." />
            </Empty>
          ) : (
            <Loaded key={shown} shown={shown} />
          )}
        </main>
      </div>
      <Help />
      <Toasts />
      <Patterns />
    </div>
  )
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path class="rows" d="M8 9h16M8 14h16" />
      <path class="tick" d="M9.5 22.5l4 3.2 9-7.2" />
    </svg>
  )
}

const arrived: Partial<Record<View, ComponentType>> = {}

function Loaded({ shown }: { readonly shown: View }) {
  const [Shown, setShown] = useState<ComponentType | undefined>(() => arrived[shown])
  const [thrown, setThrown] = useState<unknown>(null)
  useEffect(() => {
    if (Shown !== undefined) return
    LOADERS[shown]().then((loaded) => {
      arrived[shown] = loaded
      setShown(() => loaded)
    }, setThrown)
  }, [])
  if (thrown !== null) return <FailureNote failure={failureOf(thrown)} />
  return Shown === undefined ? <Loading what={NAMES[shown].toLowerCase()} /> : <Shown />
}
