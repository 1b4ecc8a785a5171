// Running text wrapped to the width of a terminal, measured in its columns.
import stringWidth from 'string-width'

/** Lines of a maximum width, broken between words; a word longer than a line is broken itself. */
export const wrapped = (text: string, width: number): string[] =>
  linesOf(text.split(' '), width, (word) => [...piecesOf(word, width)])

function linesOf(
  words: Iterable<string>,
  width: number,
  broken: (word: string) => readonly string[],
): string[] {
  const lines: string[] = []
  let line = ''
  let used = 0
  for (const word of words) {
    const wide = stringWidth(word)
    const joined = line === '' ? wide : used + 1 + wide
    if (joined <= width) {
      line = line === '' ? word : `${line} ${word}`
      used = joined
      continue
    }
    if (line !== '') lines.push(line)
    const pieces = wide <= width ? [word] : broken(word)
    for (const piece of pieces.slice(0, -1)) lines.push(piece)
    line = pieces.at(-1) ?? ''
    used = stringWidth(line)
  }
  return [...lines, line]
}

/** Running text that does not go to a terminal: unlike a table, no program reads it. */
const TEXT_WIDTH = 100

/**
 * Lines broken between words; continuation lines are indented. What is to be copied stays whole: a command in backticks
 * that fits in a line, and a word that does not, which the terminal breaks.
 */
export function setIn(text: string, width = TEXT_WIDTH): string {
  return text
    .split('\n')
    .flatMap((line) => {
      const indent = /^ */.exec(line)?.[0] ?? ''
      if (stringWidth(line) <= width) return [line]
      const room = width - indent.length - 2
      const [first = '', ...more] = linesOf(phrasesOf(line.trimStart(), room), room, (word) => [word])
      return [indent + first, ...more.map((each) => `${indent}  ${each}`)]
    })
    .join('\n')
}

/** The words of a text, in which a command in backticks is one if it is no wider than this. */
function* phrasesOf(text: string, width: number): Generator<string> {
  let held: string[] = []
  for (const word of text.split(' ')) {
    held.push(word)
    const phrase = held.join(' ')
    if (stringWidth(phrase) > width) yield* held
    else if (phrase.split('`').length % 2 === 1) yield phrase
    else continue
    held = []
  }
  yield* held
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
