// The pages of docs/endpoints, made from the catalogue: how each endpoint is asked, by what rules, and what of its
// answer lands where. Nothing is written here that the catalogue and the records do not say themselves.
import { endpoints } from '../../connectors/catalogue.ts'
import { days, type Endpoint, type Paging, type Window } from '../../connectors/endpoint.ts'
import { columnName, docOf, type FieldKind, type RecordType } from '../../models/record.ts'
import { type ItemTable, itemDocs, itemTables, wirePath } from '../../pipeline/ledger/items.ts'
import { markdownTable } from './markdown.ts'
import { requestFields } from './request-fields.ts'

const TITLES: Readonly<Record<string, string>> = {
  account: 'The unified account',
  broker: 'Broker: keys, sub-accounts, customers',
  convert: 'Conversion of small balances',
  futures: 'Futures positions, assets and contracts',
  loan: 'Institutional lending',
  market: 'Market data',
  p2p: 'P2P merchant',
  spot: 'Spot orders',
  tax: 'Tax records',
  trade: 'Orders of a unified account',
  wallet: 'Transfers',
}

const MADE = '<!-- Made from the catalogue by `npm run docs`; changes by hand are lost. -->'

const familyOf = ({ name }: Endpoint): string => name.split('.')[0] ?? name

/** By file name in docs/endpoints: a page for each family, and README.md that lists all endpoints. */
export function endpointPages(): ReadonlyMap<string, string> {
  const families = [...new Set(endpoints.map(familyOf))].toSorted()
  const pages = families.map((family) => [`${family}.md`, page(family)] as const)
  return new Map([['README.md', overview()], ...pages])
}

function overview(): string {
  const rows = endpoints.map((endpoint) => [
    endpoint.section,
    `[\`${endpoint.name}\`](${familyOf(endpoint)}.md#${anchorOf(endpoint)})`,
    `\`${endpoint.method} ${endpoint.path}\``,
    endpoint.item === null ? (endpoint.writes ? 'writes' : '') : `\`${endpoint.item.table}\``,
  ])
  return lines([
    MADE,
    '# Endpoints',
    '',
    'Every endpoint of the interface document. `tieout endpoints --json` prints the same for a script, `tieout call NAME key=value …` asks one of them once, and `tieout nightly` asks all that apply to an account.',
    '',
    ...markdownTable(['section', 'name', 'request', 'lands in'], rows),
    '',
    ...CALLING,
  ])
}

const CALLING: readonly string[] = [
  '## Calling one of them',
  '',
  'Values are plain text; a list is `a,b` or JSON; `@FILE` reads the value from a file, which keeps a passphrase out of the process list (`@@` stands for a plain `@`). What breaks a rule is refused before anything is sent, with the field, the rule and the section. Public endpoints need no account and no configuration.',
  '',
  'An endpoint that writes is only shown; `--write` sends it. The intent is journaled before it leaves and the outcome after, and what has an unknown outcome is never sent a second time: an order is looked for by its `clientOid` (one is made where none is given), and for everything else the error says how to find out. `tieout writes` lists what was changed and settles by hand what stays open; until then it is an open break of the books.',
  '',
  'A secret that the venue tells once (4.1) goes into `credentials.yaml` under `--save-as NAME` and is shown nowhere. `tieout add-subaccounts UID… --account BROKER --write` gives each sub-account of a broker a read-only key and adds it to the configuration.',
]

function page(family: string): string {
  const members = endpoints.filter((endpoint) => familyOf(endpoint) === family)
  return lines([MADE, `# ${TITLES[family] ?? family}`, '', ...members.flatMap(section)])
}

/** As GitHub makes it of a heading. */
const anchorOf = ({ name, section: number }: Endpoint): string =>
  `${number} ${name}`.toLowerCase().replaceAll('.', '').replaceAll(' ', '-')

function section(endpoint: Endpoint): string[] {
  const facts = factsOf(endpoint).map(([name, value]) => `- **${name}:** ${value}`)
  const fields = requestFields(endpoint)
  const request =
    fields.length === 0
      ? ['It takes no fields.']
      : markdownTable(
          ['request field', 'required', 'rule'],
          fields.map(({ name, required, rule }) => [`\`${name}\``, required ? 'yes' : '', rule]),
        )
  return [
    `## ${endpoint.section} ${endpoint.name}`,
    '',
    endpoint.doc,
    '',
    ...facts,
    '',
    ...request,
    '',
    ...landingOf(endpoint),
  ]
}

function factsOf(endpoint: Endpoint): [string, string][] {
  const { method, path, permission, role, credential, rate, page: paging, window, outcome } = endpoint
  const seconds = rate.perMs === 1_000 ? 'second' : `${rate.perMs / 1_000} seconds`
  const scope = rate.scope === 'uid' ? 'account' : 'address'
  return [
    ['Request', `\`${method} ${path}\``],
    ['Rate', `${rate.count} per ${seconds} and ${scope}`],
    ...(endpoint.public ? [fact('Public', 'it needs neither account nor key')] : []),
    ...(permission === null ? [] : [fact('Permission', permission)]),
    ...(credential === 'tax' ? [fact('Key', 'a tax API key of its own')] : []),
    ...(endpoint.applies === 'all' ? [] : [fact('Accounts', `${endpoint.applies} accounts`)]),
    ...(role === undefined ? [] : [fact('For', role)]),
    ...(paging.kind === 'none' ? [] : [fact('Pages', pagesOf(paging))]),
    ...(window === null ? [] : [fact('Times', timesOf(window))]),
    ...(endpoint.retentionMs === undefined ? [] : [fact('Reaches back', inDays(endpoint.retentionMs))]),
    ...(endpoint.writes
      ? [fact('Writes', `sent only with \`--write\`. If no answer comes: ${outcome}`)]
      : []),
  ]
}

const fact = (name: string, value: string): [string, string] => [name, value]

const inDays = (ms: number): string => `${ms / days(1)} days`

function pagesOf(paging: Exclude<Paging, { kind: 'none' }>): string {
  const max = paging.sizeMax === null ? `${paging.size} rows` : `up to ${paging.sizeMax} rows`
  const how = {
    cursor: `\`${paging.param}\` takes the cursor of the page before`,
    'last-id': `\`${paging.param}\` takes the id of the last row of the page before`,
    'page-number': `\`${paging.param}\` counts from 1`,
  }
  return `${max}; ${how[paging.kind]}`
}

function timesOf({ spanMaxMs, retentionMs, retentionAssumedMs }: Window): string {
  const span = `at most ${inDays(spanMaxMs)} a request`
  if (retentionMs !== null) return `${span}, of the last ${inDays(retentionMs)}`
  return retentionAssumedMs === undefined
    ? span
    : `${span}; how far back is not documented, ${inDays(retentionAssumedMs)} are assumed`
}

const COLUMN_TYPES: Readonly<Record<FieldKind, string>> = {
  text: 'VARCHAR',
  amount: 'DECIMAL(38,18)',
  millis: 'TIMESTAMPTZ',
  flag: 'BOOLEAN',
  json: 'VARCHAR (JSON)',
}

const NATURES: Readonly<Record<RecordType['nature'], string>> = {
  event: 'A record never changes; one id with other content is a second version and is reported.',
  life: 'A record changes until it is settled; every version seen is kept.',
  snapshot: 'It tells the present state; every state is kept, with when it was first and last seen.',
}

function landingOf({ name: feed, item, partitions, paramFrom }: Endpoint): string[] {
  if (item === null) return ['Nothing of the answer lands.', '']
  const labels = partitions.map(({ label }) => label).filter((label) => label !== '')
  const key = item.key.map((name) => `\`${columnName(name)}\``).join(', ')
  const columns = Object.entries(item.fields).map(([name, field]) => [
    `\`${name}\``,
    `\`${columnName(name)}\``,
    COLUMN_TYPES[field.kind],
    `${docOf(field)}${field.personal ? ' Personal: published as null unless the configuration asks for it.' : ''}`,
  ])
  return [
    `Lands in \`${item.table}\`. ${NATURES[item.nature]}`,
    '',
    key === ''
      ? '- **Identity:** none is given; equal content is one record.'
      : `- **Identity:** account, ${key}`,
    ...(labels.length === 0
      ? []
      : [`- **Asked by partition:** ${labels.map((label) => `\`${label}\``).join(', ')}`]),
    ...(item.typed === null
      ? []
      : [`- **Types:** what the words of \`${item.typed.field}\` mean stands in [types.md](../types.md)`]),
    ...(paramFrom === undefined
      ? []
      : [
          `- **Asked for each** \`${paramFrom.field}\` of \`${paramFrom.feed}\`, and each \`${paramFrom.param}\` that was sent from here to \`${paramFrom.write}\``,
        ]),
    '',
    ...markdownTable(['field', 'column', 'type', 'meaning'], columns),
    '',
    ...itemTables({ feed, record: item }).flatMap(itemsOf),
  ]
}

/** The table of what stands in a list or an object of the record. */
function itemsOf(items: ItemTable): string[] {
  const types = new Map(
    Object.entries(items.items.fields).map(([name, field]) => [columnName(name), field.kind] as const),
  )
  const rows = [...itemDocs(items)].flatMap(([column, meaning]) => {
    const kind = types.get(column.replace(/_decimals$/, ''))
    if (kind === undefined) return []
    const type = column.endsWith('_decimals') ? 'INTEGER' : COLUMN_TYPES[kind]
    return [[`\`${column}\``, type, meaning]]
  })
  return [
    `What \`${wirePath(items)}\` holds is published as rows of \`${items.items.table}\`, which \`page_id, page_row\` join to \`${items.record.table}\`; \`list_index\` is the place in the list.`,
    '',
    ...markdownTable(['column', 'type', 'meaning'], rows),
    '',
  ]
}

/** Without blank lines at the end. */
const lines = (all: readonly string[]): string => `${all.join('\n').trimEnd()}\n`
