// Movements: the trial balance by wallet and coin, each coin from its opening to its closing, and transfers
// between wallets, which are not disposals. Opening and closing are sums of the same entries, so that each
// line balances by itself.
import type { Column } from '../output/column.ts'
import { type Content, tableWith } from '../output/html.ts'
import { movesOf, OF_ACCOUNT, reach, sums, valuesOf, within } from '../reports/report.ts'
import { transfersOf } from './imported.ts'
import { columnsOf, type PaperQuestion, reportFor } from './question.ts'

const amounts = (...names: readonly string[]): Column[] => names.map((name) => ({ name, kind: 'amount' }))

/** SQL of a sum of entries of the period. */
const during = (what: string, which = 'true'): string =>
  `coalesce(sum(${what}) filter (is_during and (${which})), 0)`

const BEFORE = '$before::timestamptz is null or occurred_at < $before::timestamptz'

type Asked = Pick<PaperQuestion, 'ledger' | 'request'>

async function grouped({ ledger, request }: Asked, by: string, columns: string) {
  return await sums(
    ledger,
    `with moves as (
       select *, $from::timestamptz is null or occurred_at >= $from::timestamptz as is_during
       from ${movesOf(ledger)} where ${OF_ACCOUNT} and (${BEFORE})
     )
     select ${by}, coalesce(sum(amount) filter (not is_during), 0) as opening, ${columns}, sum(amount) as closing,
       ${reach('amount')}
     from moves group by ${by}
     having bool_or(is_during) or sum(amount) <> 0 order by ${by}`,
    valuesOf(request),
  )
}

const TRIAL: readonly Column[] = [
  { name: 'account' },
  { name: 'ledger' },
  { name: 'coin' },
  ...amounts('opening', 'in', 'out', 'closing'),
]

export async function trialBalance(question: PaperQuestion): Promise<Content> {
  const rows = await grouped(
    question,
    'account, ledger, coin',
    `${during('amount', 'amount > 0')}, ${during('-amount', 'amount < 0')}`,
  )
  return {
    words: ['Opening + in − out = closing, for every account, ledger and coin that held or moved anything.'],
    tables: [tableWith('Trial balance', TRIAL, rows)],
  }
}

const TRADED = `kind in (select kind from kinds where effect in ('exchange', 'fiat'))`
const MOVED = `kind in (select kind from kinds where effect = 'move' and kind <> 'rebase')`
const FEE = `kind in (select kind from kinds where effect = 'cost')`
const OTHER = `not ${FEE} and not ${TRADED} and not ${MOVED}`

const ROLL: readonly Column[] = [
  { name: 'coin' },
  ...amounts('opening', 'bought', 'received', 'sold', 'given'),
  { name: 'moved', title: 'transfers (net)', kind: 'amount' },
  ...amounts('fees', 'closing'),
]

export async function rollForward(question: Asked): Promise<Content> {
  const rows = await grouped(
    question,
    'coin',
    [
      during('amount', `amount > 0 and ${TRADED}`),
      during('amount', `amount > 0 and ${OTHER}`),
      during('-amount', `amount < 0 and ${TRADED}`),
      during('-amount', `amount < 0 and ${OTHER}`),
      during('amount', MOVED),
      during('-amount', FEE),
    ].join(', '),
  )
  return {
    words: ['Opening + bought + received − sold − given + transfers − fees = closing, for every coin.'],
    tables: [tableWith('Roll-forward of each coin', ROLL, rows)],
  }
}

/** The report `statement` itself. */
export async function movementsByKind(question: PaperQuestion): Promise<Content> {
  const report = await reportFor(question, 'statement')
  const names = [
    ...['line', 'kind', 'account', 'ledger', 'coin', 'amount', 'value', 'currency', 'no_value_because'],
    ...['entries', 'line_id'],
  ]
  return {
    words: [
      'Opening + movements = closing; closing less what is owed on loans is what is owned. `tieout explain` takes a line_id.',
    ],
    tables: [columnsOf('Statement', report, names)],
  }
}

export async function transfers({ ledger, request }: PaperQuestion): Promise<Content> {
  const { columns, rows } = await ledger.stream(
    `select occurred_at, account, ledger, coin, direction, quantity, kind, counter_account, counter_ledger, entry_id
     from ${transfersOf(ledger)} where ${OF_ACCOUNT} and ${within('occurred_at')}
     order by occurred_at, account, coin, entry_id`,
    valuesOf(request),
  )
  return {
    words: [
      'A transfer between wallets is not a disposal: the coins keep their cost and their date of acquisition. If the other side is empty, they came from, or went to, a wallet that no feed and no import covers.',
    ],
    tables: [{ caption: 'Transfers', columns, rows }],
  }
}
