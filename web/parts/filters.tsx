// Filters of a view: each is bound to a parameter of the address, so that an address includes a view's filters.
import type { ComponentChildren, TargetedEvent } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { about } from '../state/books.ts'
import { parameters, refine } from '../state/router.ts'
import { count } from '../words/plain.ts'
import { Icon } from './icon.tsx'

/** A filter changes which rows there are, so it returns to the first page. */
function set(name: string, value: string): void {
  refine({ [name]: value, cursor: undefined })
}

export function Filters({
  names,
  children,
}: {
  readonly names: readonly string[]
  readonly children: ComponentChildren
}) {
  const given = names.filter((name) => parameters.value[name] !== undefined)
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      {children}
      {given.length === 0 ? null : (
        <button
          type="button"
          class="button small"
          onClick={() => refine(Object.fromEntries([...names, 'cursor'].map((name) => [name, undefined])))}
        >
          <Icon name="close" /> Clear {given.length === 1 ? 'the filter' : `${given.length} filters`}
        </button>
      )}
    </form>
  )
}

interface Choice {
  readonly value: string
  readonly label: string
}

export function SelectFilter({
  name,
  label,
  all,
  choices,
}: {
  readonly name: string
  readonly label: string
  readonly all: string
  readonly choices: readonly (string | Choice)[]
}) {
  const given = parameters.value[name] ?? ''
  const listed = choices.map((one) => (typeof one === 'string' ? { value: one, label: one } : one))
  // An address may name something that is not in these books. It is shown, so that no filter is applied invisibly.
  const known = given === '' || listed.some(({ value }) => value === given)
  return (
    <label class={given === '' ? 'filter' : 'filter is-given'}>
      <span>{label}</span>
      <select value={given} data-filter={name} onChange={(event) => set(name, event.currentTarget.value)}>
        <option value="">{all}</option>
        {known ? null : <option value={given}>{given}</option>}
        {listed.map(({ value, label: text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

/** Text or a day. A date field can only show days, so an instant in the address is shown as text. Applied on leaving the field or on Enter. */
export function TextFilter({
  name,
  label,
  type = 'search',
  placeholder,
}: {
  readonly name: string
  readonly label: string
  readonly type?: 'date' | 'search'
  readonly placeholder?: string
}) {
  const given = parameters.value[name] ?? ''
  const [text, setText] = useState(given)
  useEffect(() => setText(given), [given])
  const id = useId()
  const field = {
    id,
    value: text,
    placeholder,
    'data-filter': name,
    spellcheck: false,
    autocomplete: 'off',
    onInput: (event: TargetedEvent<HTMLInputElement>) => setText(event.currentTarget.value),
    onChange: (event: TargetedEvent<HTMLInputElement>) => set(name, event.currentTarget.value.trim()),
  }
  return (
    <label class={given === '' ? 'filter' : 'filter is-given'} for={id}>
      <span>{label}</span>
      {type === 'date' && /^(\d{4}-\d{2}-\d{2})?$/.test(given) ? (
        <input type="date" {...field} />
      ) : (
        <input type="search" {...field} />
      )}
    </label>
  )
}

export function AccountFilter() {
  return (
    <SelectFilter name="account" label="Account" all="All accounts" choices={about.value?.accounts ?? []} />
  )
}

export function WalletFilter() {
  return <SelectFilter name="ledger" label="Wallet" all="All wallets" choices={about.value?.ledgers ?? []} />
}

export function CoinFilter() {
  return <SelectFilter name="coin" label="Coin" all="All coins" choices={about.value?.coins ?? []} />
}

/** From one day to another, both inclusive. */
export function DayFilters() {
  return (
    <>
      <TextFilter name="from" label="From" type="date" />
      <TextFilter name="to" label="To, inclusive" type="date" />
    </>
  )
}

/** A few values side by side, of which one is selected. */
export function Tabs({
  name,
  label,
  first,
  choices,
}: {
  readonly name: string
  readonly label: string
  readonly first: string
  readonly choices: readonly Choice[]
}) {
  const given = parameters.value[name] ?? first
  return (
    <fieldset class="tabs">
      <legend class="unseen">{label}</legend>
      {choices.map(({ value, label: text }) => (
        <button
          type="button"
          key={value}
          aria-pressed={value === given}
          onClick={() => set(name, value === first ? '' : value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
}

/** Links to the next rows and back to the first. */
export function Pager({
  next,
  shown,
  of,
}: {
  readonly next: string | null
  readonly shown: number
  readonly of?: string | undefined
}) {
  const cursor = parameters.value.cursor
  if (next === null && cursor === undefined) return of === undefined ? null : <p class="pager quiet">{of}</p>
  return (
    <nav class="pager" aria-label="Pages">
      {cursor === undefined ? null : (
        <>
          <button type="button" class="button small" onClick={() => refine({ cursor: undefined })}>
            First rows
          </button>
          <button type="button" class="button small" onClick={() => history.back()}>
            <Icon name="back" /> Back
          </button>
        </>
      )}
      <span class="quiet">
        {count(shown, 'row')} on this page{of === undefined ? '' : `, ${of}`}
      </span>
      {next === null ? (
        <span class="quiet">This is the last page.</span>
      ) : (
        <button
          type="button"
          class="button small"
          data-next
          onClick={() => {
            refine({ cursor: next })
            document.querySelector('main')?.scrollIntoView()
          }}
        >
          Next rows <Icon name="next" />
        </button>
      )}
    </nav>
  )
}
