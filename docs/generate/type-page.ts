// The page docs/types.md, made from the tables of data/ by which types are classified, so that what is documented is what
// runs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { packageRoot } from '../../pipeline/config/root.ts'
import { feedRecords } from '../../pipeline/ledger/feeds.ts'

type Row = Readonly<Record<string, string>>

const introduction = (): string => `# Types

Every record of a feed below says what kind of change it is in a word of the venue. What the words mean stands in \`data/tax_types.csv\`, from which this page is made. No list of the words is published for most feeds; those here were seen in public. That one of them reaches a feed is often inferred, and every one has a kind, so that an ordinary account has none that nobody has classified.

- **Spelling** does not matter: capitals or not, and any run of hyphens, underscores and blanks is one underscore. \`Airdrop Reward-A\` and \`airdrop_reward_a\` are one name.
- **\`FIXED_\`** before a name makes it the isolated-margin twin of that name, and means the same where it has no row of its own.
- **What is not listed** is \`unclassified\`: it is kept, counts in the balance where the feed has one, and is a warning of the check unknown_type.
- **Your own rows** come first: a file \`tax_types.csv\` in the folder of the books, with the columns \`feed,type,kind,direction,family,role,note\` and, if you like, \`doubt\`. A type may end in \`*\`, which stands for anything. \`kinds.csv\` and \`type_doubts.csv\` beside it add kinds and doubts.

The columns of \`tax_types.csv\`:

| column | meaning |
| --- | --- |
| \`feed\` | A feed, or a word for all feeds that share their names: ${vocabularies()}. A row for the feed comes before one for the word. |
| \`type\` | The venue's word, in any spelling. |
| \`kind\` | What it is; see below. |
| \`direction\` | \`in\`, \`out\`, or \`either\` where the amount's sign alone tells. P2P quantities have no sign, so there the direction is what counts. |
| \`family\`, \`role\` | Which legs belong together, and whether the coin was \`received\`, \`paid\` or taken as a \`fee\`. Empty for what has no other leg. |
| \`doubt\` | Why the meaning is in doubt; see below. Empty where it is not. |
| \`note\` | The meaning in words. |
`

const KINDS = `
## Kinds

`

const DOUBTS = `
## Doubts

Records of these types count as classified, and the check doubtful_type names them in a notice for each account and doubt. Results of isolated margin that agree or disagree with an open position, or with the orders of a closed one, are in no doubt.

`

const NAMES = `
## Names

A feed whose column is empty has no meaning for the name; there it is unclassified.

`

/** The whole page. */
export function typePage(): string {
  const kinds = read('kinds').map(({ kind, counter_account, meaning }) => [
    `\`${kind}\``,
    `${counter_account}`,
    `${meaning}`,
  ])
  const doubts = read('type_doubts').map(({ doubt, meaning }) => [`\`${doubt}\``, `${meaning}`])
  return `${[
    introduction(),
    KINDS,
    table(['kind', 'counter account', 'meaning'], kinds),
    DOUBTS,
    table(['doubt', 'meaning'], doubts),
    NAMES,
    nameTable(read('tax_types')),
  ].join('')}`
}

const typedFeeds = feedRecords.flatMap(({ feed, record }) =>
  record.typed === null ? [] : [{ feed, vocabulary: record.typed.vocabulary }],
)

/** `tax` is tax.records and tax.futuresRecords, … */
function vocabularies(): string {
  const byWord = new Map<string, string[]>()
  for (const { feed, vocabulary } of typedFeeds)
    byWord.set(vocabulary, [...(byWord.get(vocabulary) ?? []), feed])
  return [...byWord].map(([word, feeds]) => `\`${word}\` is ${feeds.join(' and ')}`).join(', ')
}

/** One row for each name and meaning, with the feeds in which it has that meaning. */
function nameTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const inFeeds = typedFeeds.map(({ feed, vocabulary }) => {
      if (row.feed === feed) return row.kind ?? ''
      const hasOwn = rows.some((other) => other.feed === feed && other.type === row.type)
      return row.feed === vocabulary && !hasOwn ? (row.kind ?? '') : ''
    })
    const type = row.type === '' ? '*(empty)*' : `\`${row.type}\``
    return [type, ...inFeeds, row.direction ?? '', row.doubt ?? '', row.note ?? '']
  })
  return table(['name', ...typedFeeds.map(({ feed }) => feed), 'direction', 'doubt', 'meaning'], cells)
}

function read(name: string): Row[] {
  return parse(readFileSync(join(packageRoot, 'data', `${name}.csv`)), { columns: true }) as Row[]
}

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('')
}
