// Text from the books and the server, with commands between backticks.
import { pasteable } from '../../models/suggested.ts'
import { about } from '../state/books.ts'
import { CopyButton } from './marks.tsx'

/** The commands that it suggests name the books of this page, so that they can be pasted anywhere. */
export function Prose({ text }: { readonly text: string }) {
  const complete = pasteable(text, about.value?.options ?? '')
  return <>{complete.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
}

/** A complete command from the server, to copy. */
export function Command({ text, says }: { readonly text: string; readonly says?: string }) {
  return (
    <p class="command">
      {says === undefined ? null : <span class="quiet">{says}</span>} <code>{text}</code>
      <CopyButton text={text} what="command" />
    </p>
  )
}
