// The bottom of a proof: the bytes as the venue sent them, their place in the journal, and that their hashes were verified.
import type { ComponentChildren } from 'preact'
import type { ProofEvidence } from '../../pipeline/serve/api.ts'
import { Icon } from '../parts/icon.tsx'
import { CopyButton, Hash, Instant } from '../parts/marks.tsx'

interface Props {
  readonly evidence: ProofEvidence
  /** Figures of the steps above, highlighted if they occur in the bytes. */
  readonly figures: ReadonlySet<string>
}

export function Evidence({ evidence, figures }: Props) {
  const {
    frame,
    row,
    meta,
    chain,
    body_sha256: hash,
    body_bytes: size,
    row_bytes: bytes,
    row_text: row_,
  } = evidence
  const request = meta.request as { readonly method?: string; readonly path?: string } | undefined
  const at = typeof meta.at === 'string' ? meta.at : null
  return (
    <div class="evidence">
      <header>
        <p class={evidence.erased ? 'seal struck' : 'seal'}>
          <Icon name={evidence.erased ? 'cross' : 'check'} />
          {evidence.erased ? 'Bytes erased on purpose; the chain holds' : 'Hash and chain verified just now'}
        </p>
        <p>
          Journal frame <strong>{frame}</strong>
          {row === null ? null : (
            <>
              , row <strong>{row}</strong>
            </>
          )}
        </p>
      </header>
      {row_ === null ? (
        <p class="quiet">
          {evidence.erased
            ? `The body was erased on purpose${evidence.erased_at === null ? '' : `, on ${evidence.erased_at}`}. Its existence, time and hash are still proven.`
            : 'The entire response is the evidence.'}
        </p>
      ) : (
        <div class="received">
          <pre>
            <Json text={row_} figures={figures} />
          </pre>
          <CopyButton text={row_} what="the row as received" />
        </div>
      )}
      <dl class="facts">
        {at === null ? null : (
          <Fact name="Received">
            <Instant at={at} /> UTC
          </Fact>
        )}
        {request === undefined ? null : (
          <Fact name="Request">
            <code>
              {request.method} {request.path}
            </code>
          </Fact>
        )}
        {bytes === null || size === null ? null : (
          <Fact name="Bytes">
            {bytes[0]} to {bytes[1] - 1} of {size}
            {evidence.without_personal_data ? '; personal data shown as null' : ''}
          </Fact>
        )}
        {hash === null ? null : (
          <Fact name="SHA-256 of the response">
            <Hash text={hash} what="hash of the response" length={28} />
          </Fact>
        )}
        <Fact name="Chain up to this frame">
          <Hash text={chain} what="chain hash" length={28} />
        </Fact>
      </dl>
    </div>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Strings, numbers and keywords; everything between them is punctuation. */
const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g

/** JSON exactly as it was received, with its parts distinguished. */
function Json({ text, figures }: { readonly text: string; readonly figures: ReadonlySet<string> }) {
  const parts: ComponentChildren[] = []
  let end = 0
  for (const found of text.matchAll(TOKEN)) {
    const [whole, string, colon, number] = found
    parts.push(text.slice(end, found.index))
    end = found.index + whole.length
    if (string !== undefined && colon !== undefined) parts.push(<span class="json-key">{string}</span>, colon)
    else if (isFigure(string?.slice(1, -1) ?? number, figures)) parts.push(<mark key={end}>{whole}</mark>)
    else parts.push(<span class="json-value">{whole}</span>)
  }
  parts.push(text.slice(end))
  return <>{parts}</>
}

function isFigure(value: string | undefined, figures: ReadonlySet<string>): boolean {
  // A single digit can occur anywhere and proves nothing.
  if (value === undefined || value.length < 2 || !/\d/.test(value)) return false
  return figures.has(plain(value))
}

/** Normalises an amount so that equal amounts are equal texts: without its sign and trailing zeros. */
export function plain(amount: string): string {
  const bare = amount.replace(/^-/, '')
  return bare.includes('.') ? bare.replace(/0+$/, '').replace(/\.$/, '') : bare
}
