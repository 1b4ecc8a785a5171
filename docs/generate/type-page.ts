// Generates docs/types.md from the tables of data/ that classify types, so that what is documented is what runs.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { packageRoot } from '../../pipeline/config/root.ts'
import { feedRecords } from '../../pipeline/ledger/feeds.ts'

type Row = Readonly<Record<string, string>>

const introduction = (): string => `# Types

Every record of a feed below names the kind of change with a word of the venue, its type. \`data/tax_types.csv\`, from which this page is generated, defines what the types mean. For most feeds no list of types is published; those here were seen in public sources. That a type occurs in a feed is often inferred. Every type here has a kind, so that an ordinary account has no unclassified ones.

- **Spelling** does not matter: case is ignored, and any run of hyphens, underscores and blanks is one underscore. \`Airdrop Reward-A\` and \`airdrop_reward_a\` are one name.
- **\`FIXED_\`** before a name makes it the isolated-margin twin of that name, and means the same unless it has a row of its own.
- **Any other type** is \`unclassified\`: its records are kept and included in the balance if the feed has one, and the check unknown_type reports a warning.
- **Your own rows** take precedence: put a file \`tax_types.csv\` in the folder of the books, with the columns \`feed,type,kind,direction,family,role,note\` and, optionally, \`doubt\`. A type may end in \`*\`, which stands for anything. \`kinds.csv\` (\`kind,counter_account,effect,meaning\`) and \`type_doubts.csv\` (\`doubt,meaning\`) beside it add kinds and doubts; \`tieout tables kinds\` lists the effects.

The columns of \`tax_types.csv\`:

| column | meaning |
| --- | --- |
| \`feed\` | A feed, or a word for all feeds that share their type names: ${vocabularies()}. A row for the feed takes precedence over one for the word. |
| \`type\` | The venue's name for the type, in any spelling. |
| \`kind\` | What it is; see below. |
| \`direction\` | \`in\`, \`out\`, or \`either\` if only the sign of the amount shows it. P2P quantities have no sign, so for them the direction determines it. |
| \`family\`, \`role\` | Which legs belong together, and whether the coin was \`received\`, \`paid\` or taken as a \`fee\`. Empty for a type without another leg. |
| \`doubt\` | Why the meaning is in doubt; see below. Empty if it is not. |
| \`note\` | The meaning in words. |
`

const KINDS = `
## Kinds

`

const DOUBTS = `
## Doubts

Records of these types are booked as classified, and the check doubtful_type lists them in a notice for each account and doubt. Results of isolated margin that could be compared with an open position, or with the orders of a closed one, are not in doubt, whether they agree or not.

`

const NAMES = `
## Names

If the column of a feed is empty, the name has no meaning in that feed and is unclassified there.

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
