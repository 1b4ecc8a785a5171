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

/** Of running text where it goes to no terminal: unlike a table nobody reads it with a program. */
const TEXT_WIDTH = 100

/** Lines broken between words; those that go on are set in. */
export function setIn(text: string, width = TEXT_WIDTH): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? ''
      if (stringWidth(line) <= width) return [line]
      const [first = '', ...more] = wrapped(line.trimStart(), width - indent.length - 2)
      return [indent + first, ...more.map((each) => `${indent}  ${each}`)]
    })
    .join('\n')
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
