// Shown above the books if the last build had errors and was not published.
import type { BreakTotals } from '../../pipeline/serve/api.ts'
import { count } from '../words/plain.ts'
import { Prose } from './prose.tsx'

export function NotPublished({ totals }: { readonly totals: BreakTotals }) {
  return (
    <p class="verdict bad">
      The last build was not published: it has {count(totals.error, 'error')} and{' '}
      {count(totals.warning, 'warning')}. This page shows the books published before it.{' '}
      <Prose text="Run `tieout check` to see the breaks." />
    </p>
  )
}
