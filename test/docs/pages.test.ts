// The pages for people: links lead somewhere, commands exist with the options that are given, those that read are run, and
// the messages of docs/troubleshooting.md are those of the program.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import yargs from 'yargs'
import { commands } from '../../pipeline/commands/index.ts'
import { packageRoot } from '../../pipeline/config/root.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const docs = join(packageRoot, 'docs')
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .concat('../README.md', '../DECISIONS.md')
const read = (name: string): string => readFileSync(join(docs, name), 'utf8')

/** Anchors of a page: its headings in lower case, without signs, with hyphens for blanks. */
const anchorsOf = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )

test.each(pages)('links of %s lead to files, and to headings in them', (name) => {
  // What stands in code is no link.
  const prose = read(name)
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '`')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  const astray = links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false
    const [file = '', anchor] = link.split('#')
    const path = file === '' ? join(docs, name) : join(dirname(join(docs, name)), file)
    return !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor))
  })
  expect(astray).toEqual([])
})

const TOLD = [
  'getting-started',
  'keys',
  'scheduling',
  'elsewhere',
  'operations',
  'paper',
  'troubleshooting',
] as const

/** Pages whose commands need books with something in them. */
const NEED_ROWS = ['lots', 'imports', 'exports', 'privacy', 'clickhouse', 'evidence', 'page'] as const

/** Words of a command as a shell splits them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

/** The lines of code blocks that call tieout, without `npx`, comments and what another program does then. */
const called = (name: string): string[] =>
  [...read(`${name}.md`).matchAll(/```(?:sh)?\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .flatMap((line) => /^(?:npx )?tieout (.*)$/.exec(line)?.[1] ?? [])
    .map((line) => line.replace(/( {2,}| && | \| ).*$/, ''))

const known = new Map(commands.map((entry) => [entry.command.split(' ')[0], entry]))
const EVERYWHERE = ['dir', 'config', 'log-level', 'now', 'help', 'version']

test.each([...TOLD, ...NEED_ROWS])(
  'commands of %s.md exist, with the options that they are given',
  async (name) => {
    for (const line of called(name)) {
      const [verb = '', ...words] = wordsOf(line)
      const entry = known.get(verb)
      expect(entry, `tieout ${line}`).toBeDefined()
      const parser = (await entry?.load())?.builder(yargs([]))
      const options = Object.keys(
        (parser as unknown as { getOptions: () => { key: object } }).getOptions().key,
      )
      const given = words
        .filter((word) => word.startsWith('--'))
        .map((word) => word.slice(2).replace(/^no-/, ''))
      expect(given.filter((option) => ![...EVERYWHERE, ...options].includes(option))).toEqual([])
    }
  },
)

test('commands on the pages that only read the books succeed', async () => {
  const dir = temporaryFolder()
  const out = temporaryFolder()
  expect((await command(['build', '--dir', dir])).code).toBe(0)
  const reading = TOLD.flatMap(called)
    .map(wordsOf)
    .filter(([verb = '']) => ['status', 'report', 'sql', 'check', 'export'].includes(verb))
  expect(reading.length).toBeGreaterThanOrEqual(8)
  for (const words of reading) {
    const placed = words.map((word, index) => {
      if (words[index - 1] === '--dir') return dir
      return words[index - 1] === '--out' ? join(out, word.replaceAll(/\W/g, '_')) : word
    })
    // The folder without --dir is the reader's own.
    const { code, stderr } = await command(words.includes('--dir') ? placed : [...placed, '--dir', dir])
    // 3 is the answer of a monitor to books that no run has read.
    expect([0, 3], `tieout ${words.join(' ')}: ${stderr}`).toContain(code)
  }
}, 300_000)

test('messages of troubleshooting.md are in the program', () => {
  const sources = ['pipeline', 'connectors']
    .flatMap((folder) =>
      readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => readFileSync(join(packageRoot, folder, file), 'utf8')),
    )
    .join('\n')
  const messages = [...read('troubleshooting.md').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, message = '']) => message,
  )
  expect(messages.length).toBeGreaterThanOrEqual(10)
  // What differs from case to case stands as … on the page.
  const parts = messages.flatMap((message) => message.split('…').map((part) => part.trim()))
  expect(parts.filter((part) => part.length > 3 && !sources.includes(part))).toEqual([])
})
