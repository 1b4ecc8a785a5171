// What a table is, according to its comment: one text of prose, with lines that begin with `grain:` and
// `keys:`.

export interface Description {
  readonly says: string
  /** Empty if the comment has no such line. */
  readonly grain: string
  readonly keys: string
}

/** A line without a label continues the line above it. */
export function describe(doc: string): Description {
  const parts = { says: [] as string[], grain: [] as string[], keys: [] as string[] }
  let current: keyof typeof parts = 'says'
  for (const line of doc.split('\n')) {
    const mark = /^(grain|keys):\s*(.*)$/.exec(line)
    if (mark === null) {
      parts[current].push(line.trim())
      continue
    }
    current = mark[1] as 'grain' | 'keys'
    parts[current].push(mark[2] as string)
  }
  return { says: parts.says.join(' '), grain: parts.grain.join(' '), keys: parts.keys.join(' ') }
}

/** The first sentence of a description, for lists. */
export const firstSentence = ({ says }: Description): string => /^.*?\.(?=\s|$)/.exec(says)?.[0] ?? says
