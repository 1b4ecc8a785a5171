// A YAML text as plain data, or what is wrong with it and where. What the library throws only while it resolves aliases
// (one that is not set before it, or so many that they would outgrow memory) is reported the same way. Its warnings, which
// quote what they warn of, are kept from standard error: a credentials file is read here too.
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
      /** Line of the mistake, from 1; null where it concerns the whole. */
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
