// Running text wrapped to the width of a terminal, measured in its columns.
import stringWidth from 'string-width'

/** Lines of a maximum width, broken between words; a word longer than a line is broken itself. */
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

/** Running text that does not go to a terminal: unlike a table, no program reads it. */
const TEXT_WIDTH = 100

/** Lines broken between words; continuation lines are indented. */
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

/** As many characters as fit, and at least one. */
export function beginning(text: string, width: number): string {
  let kept = ''
  for (const character of text) {
    if (kept !== '' && stringWidth(kept + character) > width) break
    kept += character
  }
  return kept
}
