// Names of the views, in the order of the navigation.
import type { IconName } from '../parts/icon.tsx'
import type { View } from '../state/router.ts'

export interface Named {
  readonly view: View
  readonly name: string
  readonly icon: IconName
}

export const GROUPS: readonly { readonly name: string; readonly views: readonly Named[] }[] = [
  {
    name: 'Books',
    views: [
      { view: 'overview', name: 'Overview', icon: 'overview' },
      { view: 'accounts', name: 'Accounts', icon: 'accounts' },
      { view: 'ledger', name: 'Ledger', icon: 'ledger' },
      { view: 'lots', name: 'Lots', icon: 'lots' },
      { view: 'gains', name: 'Gains', icon: 'gains' },
    ],
  },
  {
    name: 'Evidence',
    views: [
      { view: 'proof', name: 'Proof', icon: 'proof' },
      { view: 'breaks', name: 'Breaks', icon: 'breaks' },
      { view: 'coverage', name: 'Coverage', icon: 'coverage' },
      { view: 'runs', name: 'Runs', icon: 'runs' },
      { view: 'filings', name: 'Filings', icon: 'filings' },
    ],
  },
  {
    name: 'Query',
    views: [
      { view: 'console', name: 'Console', icon: 'console' },
      { view: 'dictionary', name: 'Dictionary', icon: 'dictionary' },
    ],
  },
]

export const NAMES = Object.fromEntries(
  GROUPS.flatMap(({ views }) => views).map(({ view, name }) => [view, name]),
) as Readonly<Record<View, string>>
