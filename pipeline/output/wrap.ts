// Running text on lines of a terminal, measured in its columns.
import stringWidth from 'string-width'

/** Lines of at most so many columns, broken between words; a word that is longer than a line is broken itself. */
export function wrapped(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text]
  const lines = ['']
  for (const word of text.split(' ')) {
    let rest = word
    for (;;) {
      const last = lines.at(-1) ?? ''
      const longer = last === '' ? rest : `${last} ${rest}`
      if (stringWidth(longer) <= width) {
        lines[lines.length - 1] = longer
        break
      }
      if (last === '') {
        const head = beginning(rest, width)
        lines[lines.length - 1] = head
        rest = rest.slice(head.length)
        if (rest === '') break
      }
      lines.push('')
    }
  }
  return lines
}

/** As many characters as fit, and one at least. */
export function beginning(text: string, width: number): string {
  let kept = ''
  for (const character of text) {
    if (kept !== '' && stringWidth(kept + character) > width) break
    kept += character
  }
  return kept
}
