// docs/portable.md: the names under which models say what DuckDB and ClickHouse say differently, from their one home
// (pipeline/ledger/portable.ts), with what a DuckDB shell needs to run a model.
import { clickhouseSettings, portableFunctions } from '../../pipeline/ledger/portable.ts'
import { MADE, markdownTable } from './markdown.ts'

const opening = `# One text for two engines

${MADE}
Each model of \`sql/\` is one text that runs, with the same rows, in DuckDB, which builds the books, and in ClickHouse, for books too large for one machine. Anything that the two engines express differently has its own name in the models; \`test/sql/portable.test.ts\` rejects any construct that is not known to be the same.

The build defines the names as temporary macros of its connection. They are not in the published file: an analyst's query there is plain DuckDB SQL, plus \`exact_multiply\` and \`exact_divide\`.

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

To run a model by hand, define the names first. A name without a line here is built into DuckDB or registered by the build (\`exact_ratio\`).

\`\`\`sql
${portableFunctions
  .filter(({ duckdb }) => duckdb !== null)
  .map(({ name, parameters, duckdb }) => `create temp macro ${name}(${parameters.join(', ')}) as ${duckdb};`)
  .join('\n')}
\`\`\`

## In ClickHouse

Columns of input tables are Nullable, times \`DateTime64(6, 'UTC')\`, days \`Date32\` and amounts \`Decimal(38, 18)\`; the schemas are databases. The models depend on these settings:

\`\`\`sql
${Object.entries(clickhouseSettings)
  .map(([name, value]) => `set ${name} = ${typeof value === 'string' ? `'${value}'` : value};`)
  .join('\n')}
\`\`\`

There, days end in 2299, and the length of a text is in bytes.
`

export const portablePage = (): string => `${opening}${names}${shell}`
