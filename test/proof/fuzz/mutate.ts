// Inputs made from inputs: bits, bytes and pieces of any file, and values, cells and lines of those that have a form.
// Everything follows from the random stream, so that a seed repeats a run.
import type { Random } from '../simulation/random.ts'

export interface Shape {
  readonly kind: 'bytes' | 'json' | 'csv' | 'lines'
  /** Words of this target's own, beside the nasty ones that every target gets. */
  readonly tokens: readonly string[]
}

const LENGTH_MAX = 1 << 16

/** What has broken parsers before: limits, signs, escapes, formulas, paths, terminals, markup, prototypes, other scripts. */
const NASTY: readonly string[] = [
  ...[
    '0',
    '-0',
    '-1',
    '1e400',
    '-1e-400',
    '1e99999',
    '0x10',
    '1_000',
    'NaN',
    'Infinity',
    '1,5',
    '.5',
    '5.',
    '+1',
  ],
  ...[
    '9007199254740993',
    '18446744073709551616',
    '99999999999999999999.999999999999999999',
    '1e-18',
    '1e-19',
  ],
  ...['170141183460469231731687303715884105728', '1.0000000000000000000', '0.1234567890123456789'],
  ...[
    'null',
    'true',
    'false',
    'undefined',
    '',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\r',
    '\0',
    '\u0001',
    '\u007f',
    '\u009b31m',
  ],
  ...[
    '\u001b[2J',
    '\u001b]0;x\u0007',
    '\u001b]8;;http://x\u0007',
    '\ufeff',
    '\u202e',
    '\u2028',
    '\u200b',
    '\ud800',
  ],
  ...['ä', '漢字', '👩‍👩‍👧', 'ﬀ', 'İ', '\u0301'],
  ...['=1+1', '=cmd|calc', '+SUM(A1)', '-2+3', '@x', "'", '"', '""', '`', '\\', '\\u0000', '\\ud800', '\\x'],
  ...[
    '../',
    '../../etc/passwd',
    '/dev/zero',
    '/dev/stdin',
    'C:\\',
    'a/b',
    '.',
    '..',
    '~',
    '$HOME',
    '%00',
    '%2e%2e',
  ],
  ...[
    '<script>alert(1)</script>',
    '</td>',
    '&amp;',
    '<!--',
    ']]>',
    '{{7*7}}',
    '$(7*7)',
    '`id`',
    '; drop table x',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'valueOf'],
  ...[
    ',',
    ':',
    ';',
    '=',
    '-',
    '--',
    '---',
    '...',
    '?',
    '!',
    '#',
    '%',
    '&a',
    '*a',
    '|',
    '>',
    '[',
    ']',
    '{',
    '}',
  ],
  ...['1763688137552', '-62135596800001', '8640000000000001', '999999999999999', '2026-02-30', '0000-00-00'],
  ...['9999-12-31T23:59:60Z', '2026-01-01T00:00:00+24:00', '1969-12-31', '+010000-01-01'],
  ...['a'.repeat(70), 'a'.repeat(300), '9'.repeat(400), '('.repeat(100), '['.repeat(70), '\u{10ffff}'],
]

/** One to four changes, mostly few: an input that is still nearly right gets furthest. */
export function mutate(random: Random, input: Buffer, other: Buffer, shape: Shape): Buffer {
  let bytes = input
  for (let left = random.pick([1, 1, 1, 2, 2, 4]); left > 0; left -= 1) {
    const byForm = shape.kind !== 'bytes' && random.chance(0.7)
    bytes = byForm ? mutateForm(random, bytes, other, shape) : mutateBytes(random, bytes, other, shape)
  }
  return bytes.length > LENGTH_MAX ? bytes.subarray(0, LENGTH_MAX) : bytes
}

const token = (random: Random, { tokens }: Shape): string =>
  random.pick(tokens.length > 0 && random.chance(0.5) ? tokens : NASTY)

const at = (random: Random, bytes: Buffer): number => random.int(0, bytes.length)

function mutateBytes(random: Random, input: Buffer, other: Buffer, shape: Shape): Buffer {
  const place = at(random, input)
  const end = Math.min(
    input.length,
    place + random.pick([1, 2, 4, 8, random.int(1, 64), random.int(1, 4096)]),
  )
  const [before, after] = [input.subarray(0, place), input.subarray(end)]
  switch (random.int(0, 9)) {
    case 0: {
      const flipped = Buffer.from(input)
      if (place < flipped.length) flipped[place] = (flipped[place] as number) ^ (1 << random.int(0, 7))
      return flipped
    }
    case 1: {
      const changed = Buffer.from(input)
      if (place < changed.length) changed[place] = random.pick([0, 1, 0x7f, 0x80, 0xff, random.int(0, 255)])
      return changed
    }
    case 2:
      return Buffer.concat([before, after])
    case 3:
      return Buffer.concat([before, input.subarray(place, end), input.subarray(place)])
    case 4:
      return before
    case 5: {
      const from = at(random, other)
      return Buffer.concat([before, other.subarray(from, from + random.int(1, 512)), after])
    }
    case 6:
      return Buffer.concat([before, random.bytes(random.int(1, 8)), input.subarray(place)])
    case 7: {
      const piece = input.subarray(place, end)
      const times =
        piece.length === 0 ? 0 : Math.min(random.pick([2, 10, 100, 1000]), LENGTH_MAX / piece.length)
      return Buffer.concat([before, ...Array.from({ length: times }, () => piece), after])
    }
    case 8:
      return Buffer.concat([before, Buffer.from(token(random, shape)), after])
    default:
      return Buffer.concat([before, Buffer.from(token(random, shape)), input.subarray(place)])
  }
}

function mutateForm(random: Random, input: Buffer, other: Buffer, shape: Shape): Buffer {
  const text = input.toString('utf8')
  switch (shape.kind) {
    case 'json':
      return Buffer.from(mutateJson(random, text, shape) ?? mutateBytes(random, input, other, shape))
    case 'csv':
      return Buffer.from(mutateCells(random, text, shape))
    default:
      return Buffer.from(mutateLines(random, text.split('\n'), shape).join('\n'))
  }
}

/** JSON with its members in a list, so that a key can stand twice, and with values as they are written. */
type Tree = string | { list: Tree[] } | { members: [key: string, value: Tree][] }

function treeOf(value: unknown): Tree {
  if (Array.isArray(value)) return { list: value.map(treeOf) }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return { members: Object.entries(value).map(([key, member]) => [key, treeOf(member)]) }
}

function textOf(tree: Tree): string {
  if (typeof tree === 'string') return tree
  if ('list' in tree) return `[${tree.list.map(textOf).join(',')}]`
  return `{${tree.members.map(([key, value]) => `${JSON.stringify(key)}:${textOf(value)}`).join(',')}}`
}

/** Null for a text that is no JSON, or one too deep to walk. */
function mutateJson(random: Random, text: string, shape: Shape): string | null {
  let tree: Tree
  try {
    tree = treeOf(JSON.parse(text))
    return textOf(mutateTree(random, tree, shape))
  } catch {
    return null
  }
}

function mutateTree(random: Random, tree: Tree, shape: Shape): Tree {
  if (typeof tree === 'string' || random.chance(0.1)) return otherValue(random, tree, shape)
  if ('list' in tree) {
    const place = random.int(0, tree.list.length - 1)
    const item = tree.list[place]
    if (item === undefined) return { list: [otherValue(random, 'null', shape)] }
    const list = [...tree.list]
    const choice = random.next()
    if (choice < 0.15) list.splice(place, 1)
    else if (choice < 0.3) list.splice(place, 0, ...Array.from({ length: random.int(1, 20) }, () => item))
    else list[place] = mutateTree(random, item, shape)
    return { list }
  }
  const place = random.int(0, tree.members.length - 1)
  const member = tree.members[place]
  if (member === undefined) return { members: [[token(random, shape), otherValue(random, 'null', shape)]] }
  const members = [...tree.members]
  const [key, value] = member
  const choice = random.next()
  if (choice < 0.1) members.splice(place, 1)
  else if (choice < 0.2) members.push([key, mutateTree(random, value, shape)])
  else if (choice < 0.3) members[place] = [token(random, shape), value]
  else if (choice < 0.4) members.push([token(random, shape), otherValue(random, value, shape)])
  else members[place] = [key, mutateTree(random, value, shape)]
  return { members }
}

function otherValue(random: Random, value: Tree, shape: Shape): Tree {
  const word = token(random, shape)
  switch (random.int(0, 7)) {
    case 0:
      return word
    case 1:
    case 2:
    case 3:
      return JSON.stringify(word)
    case 4:
      return { list: [value] }
    case 5:
      return { members: [[word, value]] }
    case 6:
      return random.pick(['null', '""', '[]', '{}', '0', 'true', '-1.50', '1e3'])
    default: {
      const depth = random.pick([2, 30, 62, 63, 64, 65, 3000])
      return '['.repeat(depth) + textOf(value) + ']'.repeat(depth)
    }
  }
}

function mutateCells(random: Random, text: string, shape: Shape): string {
  const lines = text.split('\n')
  if (random.chance(0.3)) return mutateLines(random, lines, shape).join('\n')
  const place = random.int(0, lines.length - 1)
  const cells = (lines[place] ?? '').split(',')
  const cell = random.int(0, cells.length - 1)
  const word = token(random, shape)
  switch (random.int(0, 5)) {
    case 0:
      cells.splice(cell, 1)
      break
    case 1:
      cells.splice(cell, 0, word)
      break
    case 2:
      cells[cell] = `"${word.replaceAll('"', '""')}"`
      break
    case 3:
      cells[cell] = `${cells[cell] ?? ''}${word}`
      break
    default:
      cells[cell] = word
  }
  lines[place] = cells.join(random.chance(0.03) ? ';' : ',')
  return lines.join('\n')
}

function mutateLines(random: Random, lines: readonly string[], shape: Shape): string[] {
  const changed = [...lines]
  const place = random.int(0, Math.max(0, lines.length - 1))
  const line = lines[place] ?? ''
  const word = token(random, shape)
  switch (random.int(0, 7)) {
    case 0:
      changed.splice(place, 1)
      break
    case 1:
      changed.splice(place, 0, ...Array.from({ length: random.pick([1, 1, 2, 100]) }, () => line))
      break
    case 2:
      changed.splice(random.int(0, lines.length), 0, word)
      break
    case 3:
      changed[place] = line.replace(
        /^(\s*)(.*)$/,
        random.pick(['$1  $2', '$2', '$1- $2', '$1# $2', '\t$1$2']),
      )
      break
    case 4:
      changed[place] = line.replace(/([:=]\s*).*$/s, (_, separator: string) => separator + word)
      break
    case 5:
      changed[place] = line.replace(/^(\s*)[^:=]*/, (_, space: string) => space + word)
      break
    case 6:
      changed[place] = lines[random.int(0, Math.max(0, lines.length - 1))] ?? ''
      break
    default:
      changed[place] = line + word
  }
  return changed
}
