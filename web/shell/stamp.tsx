// Which books the figures on the page come from: their hash, when they were published, and their open breaks.
import { CopyButton, Instant } from '../parts/marks.tsx'
import { Prose } from '../parts/prose.tsx'
import { FailureNote } from '../parts/states.tsx'
import { isConnected, liveRun, newer, showNewest, stamp, unopened } from '../state/books.ts'
import { addressOf } from '../state/router.ts'
import { count } from '../words/plain.ts'

export function StampBar() {
  const books = stamp.value
  const run = liveRun.value
  return (
    <section class="stamp" aria-label="The books on this page">
      {books === null ? (
        <span class="quiet">No books published yet</span>
      ) : (
        <>
          <span class="stamp-part">
            <span class="stamp-name">Ledger</span>
            <code
              title={
                books.ledgerHash ??
                `Publication ${books.publication}; the hash of the ledger is being calculated`
              }
              data-ledger-hash={books.ledgerHash ?? ''}
            >
              {books.ledgerHash === null ? books.publication.slice(0, 12) : books.ledgerHash.slice(0, 12)}
            </code>
            {books.ledgerHash === null ? (
              <span class="quiet">(hash being calculated)</span>
            ) : (
              <CopyButton text={books.ledgerHash} what="ledger hash" />
            )}
          </span>
          <span class="stamp-part">
            <span class="stamp-name">Published</span>
            <Instant at={books.publishedAt} /> <span class="quiet">UTC</span>
          </span>
          <a
            class={books.openErrors > 0 ? 'stamp-part open bad' : 'stamp-part open good'}
            href={addressOf('breaks', { severity: 'error' })}
          >
            {books.openErrors === 0 ? 'No open errors' : count(books.openErrors, 'open error')}
          </a>
          {books.openWarnings === 0 ? null : (
            <a class="stamp-part open warn" href={addressOf('breaks', { severity: 'warning' })}>
              {count(books.openWarnings, 'open warning')}
            </a>
          )}
        </>
      )}
      {run === null ? null : (
        <a
          class={run.phase === 'died' ? 'stamp-part open bad' : 'stamp-part open note'}
          href={addressOf('runs')}
        >
          {run.phase === 'died' ? `${run.command} died` : `${run.command} ${run.phase}`}
        </a>
      )}
      {isConnected.value ? null : <span class="stamp-part open warn">The server is not responding</span>}
    </section>
  )
}

/** Newer books are offered, but never mixed with those on the page. */
export function NewerBooks() {
  const books = newer.value
  if (books === null) return null
  return (
    <div class="newer" role="status">
      <span>
        Newer books were published at <Instant at={books.publishedAt} /> UTC. This page still shows the
        earlier ones.
      </span>
      <button type="button" class="button primary small" onClick={showNewest}>
        Show the new books
      </button>
    </div>
  )
}

/** Newer books that cannot be opened: why, and what to do. */
export function UnopenedBooks() {
  const failure = unopened.value
  if (failure === null) return null
  return (
    <section class="unopened" aria-label="Newer books">
      <p>
        <Prose text="Newer books cannot be opened. This page still shows the earlier ones and keeps trying. If tieout has been updated since the page was started, restart `tieout serve`." />
      </p>
      <FailureNote failure={failure} />
    </section>
  )
}
