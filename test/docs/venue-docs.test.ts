// Comments cite the interface document by section and venue-facts by heading; docs/venue.md says in the project's own
// words what stands there. Every citation leads to a heading or a numbered row of that page, and its links lead to files.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { refusalOf } from '../../connectors/classify.ts'
import { taxRecords } from '../../connectors/endpoints/tax.ts'
import { stated } from '../document/index.ts'

const root = resolve(import.meta.dirname, '..', '..')
const pageFile = join(root, 'docs', 'venue.md')
const page = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : ''

const FOLDERS = ['connectors', 'models', 'pipeline', 'sandbox', 'sql', 'test', 'bench']

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|sql)$/.test(name))
    .map((name) => join(folder, name)),
)

/** A marker at the start of a line of comment: a citation may go on behind it. */
const MARKER = /^[ \t]*(?:\/\/|--|\/\*+|\*+\/?)[ \t]?/

/** The text on one line, so that a citation that is broken over two lines is one. */
const flat = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replace(MARKER, ''))
    .join(' ')
    .replace(/\s+/g, ' ')

/** The same of the comments alone, also of those behind code. */
function commentsOf(text: string): string {
  const lines = text.split('\n').map((line) => {
    if (MARKER.test(line)) return line
    return /(?:^|\s)(?:\/\/|--|\/\*\*) .*$/.exec(line)?.[0].trim() ?? '// .'
  })
  return flat(lines.join('\n'))
}

const NUMBER = String.raw`(?:parts? [1-9]\d?|[1-9](?!\d))(?:\.\d{1,2}){0,2}`
/** `part 1 (pagination), 4.5 and 4.23`, `4.19 to 4.21`, `parts 1, 5, 7 and 8`. */
const ITEM = String.raw`${NUMBER}(?: \([a-z ]+\))?`
const LIST = `${ITEM}(?:(?:,| and|, and| to|–| or) ?${ITEM})*`

const numbersIn = (list: string): string[] => list.match(/[1-9]\d?(?:\.\d{1,2}){0,2}/g) ?? []

/** Sections that a text cites: after "document,", after "part", as the section of a declaration. */
function citedSections(text: string): string[] {
  const whole = flat(text)
  const lists = [
    ...whole.matchAll(new RegExp(String.raw`\bdocument, (?:its )?(${LIST})`, 'gi')),
    ...whole.matchAll(new RegExp(String.raw`\b(?=part)(${LIST})`, 'gi')),
  ]
  const declared = [...whole.matchAll(/\bsection: '([\d.]+)'/g)].map(([, number]) => number as string)
  return [
    ...new Set([...lists.flatMap(([, list]) => numbersIn(list as string)), ...declared, ...bareIn(text)]),
  ]
}

/**
 * A bare number of a record or an endpoint in a comment (`(4.1)`, `4.20 and 4.21 share one budget`). Whatever could be one
 * with a digit mistaken counts, up to 29 behind the point; other decimals are amounts.
 */
function bareIn(text: string): string[] {
  const bare = /(?<![\w.,$€−-])[24]\.(?:[12]\d|[1-9])(?:\.\d)?(?![\w%]|\.\d)/g
  return commentsOf(text).match(bare) ?? []
}

/** Headings of venue-facts that a text cites: `venue-facts, Signing and Failures` or `venue-facts (Failures)`. */
function citedHeadings(text: string, known: readonly string[]): string[] {
  const longestFirst = known.toSorted((one, other) => other.length - one.length)
  return [...flat(text).matchAll(/\bvenue-facts(?:, | \()(.*?)(?=[.;)`'"]|$)/g)].flatMap(([, list]) => {
    const cited: string[] = []
    for (let rest = list as string; /^(?:[A-Z]|head\b)/.test(rest); ) {
      const heading = longestFirst.find((one) => new RegExp(`^${one}\\b`, 'i').test(rest))
      cited.push(heading ?? rest)
      rest = heading === undefined ? '' : rest.slice(heading.length).replace(/^(?:,? and|,) /, '')
    }
    return cited
  })
}

const headings = (text: string): string[] =>
  [...text.matchAll(/^#{2,6} (.+)$/gm)].map(([, one]) => one as string)

const [partA = '', partB = ''] = page.split(/^## B\. .*$/m)

/** What a section number leads to: a heading, or the row of a table of numbered rules. */
const sections = [
  ...headings(partA).flatMap((one) => /^(?:Part )?(\d+(?:\.\d+)*)\b/.exec(one)?.[1] ?? []),
  ...[...partA.matchAll(/^\| (\d\.\d+) \|/gm)].map(([, number]) => number as string),
]
const factHeadings = headings(partB)

describe('a citation', () => {
  test('leads to a section or heading of docs/venue.md', () => {
    const lost = sources.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return [
        ...citedSections(text)
          .filter((one) => !sections.includes(one))
          .map((one) => `${file} cites the interface document, ${one}: docs/venue.md has no such section`),
        ...citedHeadings(text, factHeadings)
          .filter((one) => !factHeadings.includes(one))
          .map((one) => `${file} cites venue-facts, ${one}: docs/venue.md has no such heading`),
      ]
    })
    expect(lost).toEqual([])
    // More than eighty files cite; a scan that finds none would be content with any page.
    const citing = sources.filter((file) => citedSections(readFileSync(join(root, file), 'utf8')).length > 0)
    expect(citing.length).toBeGreaterThan(70)
  })

  test('is found in every form that is used', () => {
    const of = (text: string) => citedSections(text)
    expect(of(`// Interface document, ${'4.6'} and part ${5}.`)).toEqual(['4.6', '5'])
    expect(of(`// interface document, part ${1} (pagination) and 4.11 to 4.23;`)).toEqual([
      '1',
      '4.11',
      '4.23',
    ])
    expect(of(`// the code. Sources: interface document, parts\n// ${1}, 5 and 7; x`)).toEqual([
      '1',
      '5',
      '7',
    ])
    expect(of(`// Answers (Interface document, part ${'12'}), 20 of them.`)).toEqual(['12'])
    expect(of(`/** Restated from its parts ${2} to 8. */`)).toEqual(['2', '8'])
    expect(of(`/** Interface document, ${'2.3.1'}. */`)).toEqual(['2.3.1'])
    expect(of(`  section: '${'4.99'}',`)).toEqual(['4.99'])
    expect(of(`-- Assets of sub-accounts (${'4.13'}), never 1.5 or 4.50.`)).toEqual(['4.13'])
    expect(of(`const share = ${'4.13'} // of 2.75`)).toEqual([])
    const known = ['Signing', 'Failures', 'Wire oddities']
    expect(citedHeadings(`venue-facts, ${'Signing'} and\n// Wire oddities. Else`, known)).toEqual([
      'Signing',
      'Wire oddities',
    ])
    expect(citedHeadings(`venue-facts (${'Failures'}), and what is`, known)).toEqual(['Failures'])
    expect(citedHeadings(`venue-facts, ${'Failures'}, Payments.`, known)).toEqual(['Failures', 'Payments'])
  })
})

describe('docs/venue.md', () => {
  const upTo = (part: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${part}${index + 1}`)

  test('has every part and section of the interface document, each once', () => {
    const expected = [...upTo('', 9), ...upTo('2.', 16), '2.3.1', ...upTo('4.', stated.length)]
    expect(expected.filter((one) => !sections.includes(one))).toEqual([])
    expect(sections.filter((one, place) => sections.indexOf(one) !== place)).toEqual([])
  })

  test('states the strength of each fact of its second part', () => {
    const facts = partB
      .split('\n\n')
      .filter((block) => block.startsWith('| Fact | Strength |'))
      .flatMap((table) => table.trim().split('\n').slice(2))
    const without = facts.filter((row) => !/^\[[LDRI]\]/.test(row.split(' | ')[1] ?? ''))
    expect(facts.length).toBeGreaterThan(50)
    expect(without).toEqual([])
  })

  test('classes each code as the code does', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)]
    const wrong = rows.flatMap(([, name, codes]) =>
      (codes as string).match(/`\d+`/g)!.flatMap((quoted) => {
        const refusal = { endpoint: taxRecords, account: 'main', status: 400, message: '', body: null }
        const request = { method: 'GET', path: '/' } as const
        const found = refusalOf({ ...refusal, request, code: quoted.slice(1, -1) }, true).name
        return found === name ? [] : [`${quoted} is ${found}, not ${name}`]
      }),
    )
    expect(rows.length).toBe(9)
    expect(wrong).toEqual([])
  })

  /** As the usual renderers make an anchor of a heading. */
  const anchorOf = (heading: string): string =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')

  test('has links to existing files and headings', () => {
    const targets = [...page.matchAll(/^\[[^\]]+\]: (\S+)$/gm), ...page.matchAll(/\]\(([^)]+)\)/g)]
    const dead = targets.flatMap(([, target]) => {
      const [path = '', anchor] = (target as string).split('#')
      const file = path === '' ? pageFile : resolve(dirname(pageFile), path)
      if (!existsSync(file)) return [`${target}: there is no file ${relative(root, file)}`]
      const anchors = anchor === undefined ? [] : headings(readFileSync(file, 'utf8')).map(anchorOf)
      return anchor === undefined || anchors.includes(anchor) ? [] : [`${target}: there is no such heading`]
    })
    expect(targets.length).toBeGreaterThan(50)
    expect(dead).toEqual([])
  })

  test('links each path that it names, by that name', () => {
    const defined = new Map(
      [...page.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, label, target]) => [
        label as string,
        target as string,
      ]),
    )
    const used = [...page.matchAll(/\[([^\]\n]+)\](?![:(])/g)]
      .map(([, label]) => label as string)
      .filter((label) => !/^[LDRI]$/.test(label))
    expect(used.filter((label) => !defined.has(label))).toEqual([])
    expect([...defined.keys()].filter((label) => !used.includes(label))).toEqual([])
    const paths = [...defined].filter(([label]) => label.includes('/'))
    expect(paths.filter(([label, target]) => join('docs', target).split('#')[0] !== label)).toEqual([])
  })
})
