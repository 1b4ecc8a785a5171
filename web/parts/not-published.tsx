// What stands above the books where those of the last build had errors and were not published.
import type { BreakTotals } from '../../pipeline/serve/api.ts'
import { count } from '../words/plain.ts'

export function NotPublished({ totals }: { readonly totals: BreakTotals }) {
  return (
    <p class="verdict bad">
      The last build was not published: it has {count(totals.error, 'error')} and{' '}
      {count(totals.warning, 'warning')}. These are the books before it; <code>tieout check</code> shows what
      broke.
    </p>
  )
}
