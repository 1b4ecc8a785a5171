// docs/portable.md: the names under which models say what DuckDB and ClickHouse say differently, from their one home
// (pipeline/ledger/portable.ts), with what a DuckDB shell needs to run a model.
import { clickhouseSettings, portableFunctions } from '../../pipeline/ledger/portable.ts'
import { MADE, markdownTable } from './markdown.ts'

const opening = `# One text for two engines

${MADE}
Each model of \`sql/\` is one text that runs in DuckDB, which builds the books, and in ClickHouse, for books of a size that one machine does not hold, with the same rows. What the two say differently has a name of its own in models; \`test/sql/portable.test.ts\` refuses what is not known to be the same.

The build makes the names as temporary macros of its connection. They are not in the published file: a question that an analyst asks there means what DuckDB says, with \`exact_multiply\` and \`exact_divide\` beside it.

## Names

`

const names = markdownTable(
  ['name', 'meaning'],
  portableFunctions.map(({ name, parameters, meaning }) => [
    `\`${name}(${parameters.join(', ')})\``,
    meaning,
  ]),
).join('\n')

const shell = `

## In a DuckDB shell

To run a model by hand, make the names first; a name without a line here is one that DuckDB has, or that the build registers (\`exact_ratio\`).

\`\`\`sql
${portableFunctions
  .filter(({ duckdb }) => duckdb !== null)
  .map(({ name, parameters, duckdb }) => `create temp macro ${name}(${parameters.join(', ')}) as ${duckdb};`)
  .join('\n')}
\`\`\`

## In ClickHouse

Columns of input tables are Nullable, times \`DateTime64(6, 'UTC')\`, days \`Date32\` and amounts \`Decimal(38, 18)\`; the schemas are databases. Models rest on these settings:

\`\`\`sql
${Object.entries(clickhouseSettings)
  .map(([name, value]) => `set ${name} = ${typeof value === 'string' ? `'${value}'` : value};`)
  .join('\n')}
\`\`\`

Days end in 2299 there, and the length of a text counts bytes.
`

export const portablePage = (): string => `${opening}${names}${shell}`
