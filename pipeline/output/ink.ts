// Colour and links on a terminal, if it supports them and the user wants them (NO_COLOR, FORCE_COLOR). Text
// is made harmless here, before anything is put around it: nothing from the venue can bring colours or links
// of its own.
import type { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { styleText } from 'node:util'
import { createSupportsHyperlinks } from 'supports-hyperlinks'
import { forTerminal } from '../../models/text.ts'

/** The meaning of a colour. Nothing is conveyed by colour alone: the words state it too. */
const COLOURS = { good: 'green', bad: 'red', doubtful: 'yellow', heading: 'bold' } as const

export type Meaning = keyof typeof COLOURS

export interface Ink {
  /** The text in the colour of its meaning. */
  readonly mark: (meaning: Meaning, text: string) => string
  /** The path of a file, opened by a click. */
  readonly file: (path: string) => string
}

export function inkFor(stream: Writable & { readonly isTTY?: boolean }): Ink {
  const hasLinks = createSupportsHyperlinks({ isTTY: stream.isTTY === true })
  return {
    mark: (meaning, text) => styleText(COLOURS[meaning], forTerminal(text), { stream }),
    file: (path) => {
      const text = forTerminal(path)
      return hasLinks ? `\u001b]8;;${pathToFileURL(path).href}\u001b\\${text}\u001b]8;;\u001b\\` : text
    },
  }
}
