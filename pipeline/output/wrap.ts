// Running text wrapped to the width of a terminal, measured in its columns.
import stringWidth from 'string-width'

/** Lines of a maximum width, broken between words; a word longer than a line is broken itself. */
export function wrapped(text: string, width: number): string[] {
  if (stringWidth(text) <= width) return [text]
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of text.split(' ')) {
    const wide = stringWidth(word)
    const joined = line === '' ? wide : used + 1 + wide
    if (joined <= width) {
      line = line === '' ? word : `${line} ${word}`
      used = joined
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = wide <= width ? [word] : [...piecesOf(word, width)]
    for (const piece of pieces.slice(0, -1)) lines.push(piece)
    line = pieces.at(-1) ?? ''
    used = stringWidth(line)
  }
  return [...lines, line]
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
  return piecesOf(text, width).next().value ?? ''
}

const CHARACTERS = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** A text without regard to its words in pieces of a maximum width. Each character is measured once: a cell may have thousands. */
function* piecesOf(text: string, width: number): Generator<string> {
  let piece = ''
  let used = 0
  for (const { segment } of CHARACTERS.segment(text)) {
    const wide = stringWidth(segment)
    if (piece !== '' && used + wide > width) {
      yield piece
      piece = ''
      used = 0
    }
    piece += segment
    used += wide
  }
  if (piece !== '') yield piece
}
