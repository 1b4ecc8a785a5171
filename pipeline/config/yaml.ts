// Parses YAML text into plain data, or reports what is wrong with it and where. Errors that the library throws only
// while resolving aliases (an alias without an anchor before it, or so many that they would exhaust memory) are
// reported the same way. Its warnings quote what they warn about, so they are kept from standard error: credentials
// files are read here too.
import { LineCounter, parseDocument } from 'yaml'

export type YamlDocument = ReturnType<typeof parseDocument>

export type YamlReading =
  | {
      readonly ok: true
      readonly value: unknown
      readonly document: YamlDocument
      readonly lineAt: (offset: number) => number
    }
  | {
      readonly ok: false
      /** Line of the mistake, from 1; null if it concerns the whole text. */
      readonly line: number | null
      /** The library's words, which may quote the text. */
      readonly problem: string
    }

export function readYaml(source: string): YamlReading {
  const lines = new LineCounter()
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const document = parseDocument(source, { lineCounter: lines, logLevel: 'error' })
  const broken = document.errors[0]
  if (broken !== undefined)
    return { ok: false, line: lineAt(broken.pos[0]), problem: broken.message.split('\n')[0] ?? '' }
  try {
    return { ok: true, value: document.toJS(), document, lineAt }
  } catch (error) {
    return { ok: false, line: null, problem: error instanceof Error ? error.message : String(error) }
  }
}
