// The user's own files: imports, choices of lots, configuration and credentials, through the code that reads them.
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endpoints } from '../../../../connectors/catalogue.ts'
import { canonicalJson } from '../../../../models/json.ts'
import { readConfig } from '../../../../pipeline/config/config.ts'
import { readAccounts, readCredentials } from '../../../../pipeline/config/credentials.ts'
import { FILING_FORMAT, type Filing, readFiling, writeFiling } from '../../../../pipeline/evidence/filing.ts'
import { type ImportKind, importKinds } from '../../../../pipeline/imports/format.ts'
import { importFormats } from '../../../../pipeline/imports/formats.ts'
import { nodeDisk } from '../../../../pipeline/journal/disk.ts'
import { readAllocation, readSelection } from '../../../../pipeline/reports/selection.ts'
import type { Shape } from '../mutate.ts'
import { BOUND_MS, must, newFolder, type OpenTarget, type Target } from '../target.ts'

const CSV_TOKENS = [
  ...[
    'id',
    'time',
    'account',
    'type',
    'asset',
    'quantity',
    'currency',
    'total',
    'fee',
    'fee_currency',
    'basis',
  ],
  ...[
    'price',
    'source',
    'Date',
    'USD',
    'N/A',
    'buy',
    'sell',
    'transfer_out',
    'transfer_in',
    'income',
    'gift_in',
  ],
  ...[
    '2026-01-31T23:59:59.123456789Z',
    '2026-01-31T23:59+05:30',
    '15 October 2025',
    't1:out',
    't1:in',
    'BTC',
    'EUR',
  ],
  ...['disposal_id', 'lot_id', 'coin', '""', '"a\nb"', '"a""b"', 'a"b', '\r', '\ufeff'],
]

/** The corpus has it as it is written. */
export const FILING: Filing = {
  format: FILING_FORMAT,
  name: 'june',
  frozen_at: '2026-06-30T00:00:00.000Z',
  report: 'balances',
  options: {},
  defaults: {},
  title: 'Balances',
  inputs: {} as Filing['inputs'],
  key: ['coin'],
  columns: ['coin', 'quantity'],
  rows: [
    ['BTC', '1.5'],
    ['EUR', '-2'],
  ],
  totals: [],
  notes: ['A note.'],
}

const csvShape: Shape = { kind: 'csv', tokens: CSV_TOKENS }

export const importTargets: readonly Target[] = importKinds.map((kind: ImportKind) => ({
  name: `import-${kind}`,
  shape: csvShape,
  boundMs: BOUND_MS,
  open: () => ({
    run: (input) => {
      const { table, read } = importFormats[kind]
      const rows = read({ name: 'file.csv', bytes: input })
      for (const { line, values } of rows) {
        must(line > 1, 'a row says its line')
        must(values.length === table.columns.length - 2, 'a row has a value for every column')
        must(
          values.every((value) => value !== undefined),
          'no value is left open',
        )
      }
      const lines = input
        .toString('utf8')
        .split('\n')
        .filter((line) => !/^\r?$/.test(line.replace('\ufeff', ''))).length
      // A reference rate file has many prices a line; of the other kinds every line is a row.
      if (kind !== 'prices') must(rows.length === Math.max(0, lines - 1), 'every line of the file is a row')
      return String(Math.min(rows.length, 3))
    },
  }),
}))

/** A report as it was handed in: what is read of a changed file is what was frozen, or nothing. */
export const filingTarget: Target = {
  name: 'filing',
  shape: { kind: 'json', tokens: ['sha256', 'format', 'rows', 'columns', 'key', '1', '2', '[]', 'null'] },
  boundMs: BOUND_MS,
  open: async (): Promise<OpenTarget> => {
    const dir = newFolder()
    const file = await writeFiling(nodeDisk, dir, FILING)
    const written = JSON.stringify(await readFiling(nodeDisk, dir, FILING.name))
    return {
      run: async (input) => {
        writeFileSync(file, input)
        const read = await readFiling(nodeDisk, dir, FILING.name)
        must(
          canonicalJson(read) === canonicalJson(JSON.parse(written)),
          'what is read of a filing is what was frozen',
        )
        return 'whole'
      },
      close: async () => rmSync(dir, { recursive: true, force: true }),
    }
  },
}

/** A reader of a file by its path; the file is written anew for each input. */
function fileTarget(
  name: string,
  shape: Shape,
  read: (file: string, dir: string) => string,
  more: Partial<Target> = {},
): Target {
  return {
    name,
    shape,
    boundMs: BOUND_MS,
    ...more,
    open: (): OpenTarget => {
      const dir = newFolder()
      const file = join(dir, name === 'credentials' ? 'credentials.yaml' : 'input')
      writeFileSync(file, '', { mode: 0o600 })
      chmodSync(file, 0o600)
      return {
        run: (input) => {
          writeFileSync(file, input)
          return read(file, dir)
        },
        close: async () => rmSync(dir, { recursive: true, force: true }),
      }
    },
  }
}

const YAML_TOKENS = [
  ...[
    'venue:',
    'base_url:',
    'budgets:',
    'history:',
    'since:',
    'feeds:',
    'accounts:',
    'credentials:',
    'uid:',
    'env',
  ],
  ...[
    'file',
    'privacy:',
    'publish_personal_data:',
    'reports:',
    'method:',
    'notify:',
    'command:',
    'url:',
    'on:',
  ],
  ...[
    '&a [*a]',
    '*a',
    '&a',
    '<<: *a',
    '!!binary',
    '!!js/function',
    '!!timestamp',
    '!!set',
    '? ',
    '- - -',
    '|',
    '>',
  ],
  ...[
    '{a: {b: c}}',
    '[1, 2]',
    'file:///etc/passwd',
    'http://x',
    '2026-01-01',
    '1e3',
    '0o17',
    '.inf',
    '.nan',
    '~',
  ],
  ...[
    'key:',
    'secret:',
    'passphrase:',
    'tax_key:',
    '__proto__:',
    'constructor:',
    '%YAML 1.1',
    '--- ',
    '"\\x00"',
  ],
]

const yamlShape: Shape = { kind: 'lines', tokens: YAML_TOKENS }

const SECRETS = ['q7Zx-canary-0123456789', 'K9wv-canary-abcdefghij', 'phrase-of-canaries-42']

const feedNames = endpoints.map(({ name }) => name)

export const fileTargets: readonly Target[] = [
  fileTarget('config', yamlShape, (file) => {
    const config = readConfig(file, feedNames)
    must(config !== null, 'a file that is there is read')
    // What was read is plain data: the next step walks it.
    JSON.stringify(config)
    readAccounts({ ...config, accounts: {} }, '/nowhere', {})
    return `${Object.keys(config.accounts).length} ${config.history.feeds?.length ?? '-'} ${Object.keys(config.venue).length}`
  }),
  fileTarget(
    'credentials',
    { kind: 'lines', tokens: [...YAML_TOKENS, ...SECRETS] },
    (file, dir) => {
      const sections = readCredentials(file)
      // The name of an account is the user's own word, and may be shown.
      if (Object.keys(sections).some((name) => SECRETS.some((secret) => name.includes(secret))))
        return 'named'
      const config = {
        accounts: Object.fromEntries(
          Object.keys(sections).map((name) => [name, { credentials: 'file' as const }]),
        ),
      }
      const accounts = readAccounts({ ...(readConfig('/nowhere', []) ?? ({} as never)), ...config }, dir, {})
      for (const { api, tax } of accounts)
        for (const one of [api, tax])
          must(
            one === undefined || Object.values(one).every((text) => typeof text === 'string' && text !== ''),
            'a credential is whole',
          )
      return `${accounts.length} ${accounts.filter(({ api }) => api !== undefined).length}`
    },
    { secrets: SECRETS },
  ),
  fileTarget('selection', csvShape, (file) => {
    const selections = readSelection(file)
    for (const lots of selections.values())
      must(
        lots.length > 0 && lots.every(({ quantity }) => quantity > 0n),
        'what is selected is more than nothing',
      )
    return String(Math.min(selections.size, 3))
  }),
  fileTarget('allocation', csvShape, (file) => {
    const allocations = readAllocation(file)
    must(
      allocations.every(({ quantity }) => quantity > 0n),
      'what is allocated is more than nothing',
    )
    return String(Math.min(allocations.length, 3))
  }),
]
