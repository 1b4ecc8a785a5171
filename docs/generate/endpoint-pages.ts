// Generates the pages of docs/endpoints from the catalogue: how each endpoint is called, its rules, and which part of its answer
// lands where. Everything here comes from the catalogue and the records.
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
    'Every endpoint of the interface document. `tieout endpoints --json` prints the same for a script, `tieout call NAME key=value …` calls one of them once, and `tieout nightly` reads all that apply to an account.',
    '',
    ...markdownTable(['section', 'name', 'request', 'lands in'], rows),
    '',
    ...CALLING,
  ])
}

const CALLING: readonly string[] = [
  '## Calling an endpoint',
  '',
  'Values are plain text; a list is `a,b` or JSON; `@FILE` reads the value from a file, which keeps a passphrase out of the process list (`@@` stands for a plain `@`). A value that breaks a rule is refused before anything is sent; the error names the field, the rule and the section. The pages list the rule of each field; rules between fields, such as the price that only a limit order needs, are in [The venue](../venue.md#part-4-endpoints). Public endpoints need no account and no configuration.',
  '',
  'For an endpoint that writes, the request is only shown; `--write` sends it. The intent is journaled before sending and the outcome afterwards, and a request with an unknown outcome is never sent a second time. An order is looked up by its `clientOid` (generated if none is given); for everything else, the error says how to find out. `tieout writes` lists the changes made and lets you settle by hand those still open; until then each is an open break of the books.',
  '',
  'A secret that the venue discloses only once (4.1) is saved in `credentials.yaml` under `--save-as NAME` and never shown. `tieout add-subaccounts UID… --account BROKER --write` gives each sub-account of a broker a read-only key and adds it to the configuration.',
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
      ? ['It has no request fields.']
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
    ...(endpoint.public ? [fact('Public', 'needs neither account nor key')] : []),
    ...(permission === null ? [] : [fact('Permission', permission)]),
    ...(credential === 'tax' ? [fact('Key', 'a separate tax API key')] : []),
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
    cursor: `\`${paging.param}\` takes the cursor of the previous page`,
    'last-id': `\`${paging.param}\` takes the id of the last row of the previous page`,
    'page-number': `\`${paging.param}\` counts from 1`,
  }
  return `${max}; ${how[paging.kind]}`
}

function timesOf({ spanMaxMs, retentionMs, retentionAssumedMs }: Window): string {
  const span = `at most ${inDays(spanMaxMs)} a request`
  if (retentionMs !== null) return `${span}, of the last ${inDays(retentionMs)}`
  return retentionAssumedMs === undefined
    ? span
    : `${span}; retention is not documented, ${inDays(retentionAssumedMs)} are assumed`
}

const COLUMN_TYPES: Readonly<Record<FieldKind, string>> = {
  text: 'VARCHAR',
  amount: 'DECIMAL(38,18)',
  millis: 'TIMESTAMPTZ',
  flag: 'BOOLEAN',
  json: 'VARCHAR (JSON)',
}

const NATURES: Readonly<Record<RecordType['nature'], string>> = {
  event: 'A record never changes; an id with different content is a second version and is reported.',
  life: 'A record changes until it is settled; every version seen is kept.',
  snapshot:
    'A record shows the present state; every state is kept, with the times when it was first and last seen.',
}

function landingOf({ name: feed, item, partitions, paramFrom }: Endpoint): string[] {
  if (item === null) return ['No part of the answer lands.', '']
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
      ? '- **Identity:** the venue gives none; equal content is one record.'
      : `- **Identity:** account, ${key}`,
    ...(labels.length === 0
      ? []
      : [`- **Requested by partition:** ${labels.map((label) => `\`${label}\``).join(', ')}`]),
    ...(item.typed === null
      ? []
      : [`- **Types:** the values of \`${item.typed.field}\` are explained in [types.md](../types.md)`]),
    ...(paramFrom === undefined
      ? []
      : [
          `- **Requested for each** \`${paramFrom.field}\` of \`${paramFrom.feed}\`, and each \`${paramFrom.param}\` that was sent from here to \`${paramFrom.write}\``,
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
    `The contents of \`${wirePath(items)}\` are published as rows of \`${items.items.table}\`, which \`page_id, page_row\` join to \`${items.record.table}\`; \`list_index\` is the position in the list.`,
    '',
    ...markdownTable(['column', 'type', 'meaning'], rows),
    '',
  ]
}

/** Without blank lines at the end. */
const lines = (all: readonly string[]): string => `${all.join('\n').trimEnd()}\n`
