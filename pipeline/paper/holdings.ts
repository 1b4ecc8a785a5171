// Holdings at the beginning and at the end: quantity and value of each wallet, and the cost of the open lots.
import type { Column } from '../output/column.ts'
import { type Content, type Table, tableWith } from '../output/html.ts'
import { makeReport } from '../reports/catalogue.ts'
import { lotsBefore } from '../reports/disposals.ts'
import { lastAnswered, movesOf, OF_ACCOUNT, reach, sums } from '../reports/report.ts'
import { columnsOf, type PaperQuestion, readable } from './question.ts'

const HELD = [
  'account',
  'ledger',
  'coin',
  'quantity',
  'borrowed',
  'own',
  'price',
  'priced_at',
  'value',
  'currency',
]

const COST: readonly Column[] = [
  { name: 'account' },
  { name: 'coin' },
  { name: 'lots', kind: 'number' },
  { name: 'quantity_left', kind: 'amount' },
  { name: 'cost_basis_left', kind: 'amount' },
  { name: 'currency' },
  { name: 'quantity_without_cost', kind: 'amount' },
]

export async function holdings(question: PaperQuestion): Promise<Content> {
  const { from, before } = question.request.period
  const end = (await isOver(question, before)) ? before : null
  return {
    words: [
      ...(from === null
        ? [
            'The period begins with the books, so there is nothing before it. What the wallets already held then is listed among the movements, as kind opening.',
          ]
        : []),
      'Cost is that of the lots open at the time. Borrowed coins have no cost, and the reporting currency has no lots.',
      ...(question.law.lookAhead?.pieces === 'disposals'
        ? [
            `Under ${question.law.name} rules, coins that were sold and are matched with a later purchase stay in the pool until then, so its quantity may exceed what was held.`,
          ]
        : []),
    ],
    tables: [
      ...(from === null ? [] : await heldBefore(question, from, 'the beginning')),
      ...(await heldBefore(question, end, 'the end')),
    ],
  }
}

/**
 * If a period extends past everything that is known, it ends with the books. Imports create no run, and may
 * contain what came after the last one.
 */
async function isOver({ ledger }: PaperQuestion, before: string | null): Promise<boolean> {
  if (before === null) return false
  const [row] = await ledger.query(
    `select coalesce(${lastAnswered(ledger)} >= $before::timestamptz, false)
       or (select coalesce(max(occurred_at) >= $before::timestamptz, false) from ${movesOf(ledger)})`,
    { before },
  )
  return row?.[0] === true
}

async function heldBefore(question: PaperQuestion, before: string | null, when: string): Promise<Table[]> {
  const { ledger, request, defaults } = question
  const { account, lots, currency } = request
  const to = before === null ? undefined : new Date(Date.parse(before) - 1).toISOString()
  const balances = await makeReport(ledger, 'balances', { account, to }, defaults)
  const at =
    before === null ? `At ${when} of the books` : `At ${when} (before ${readable(before, request.zone)})`
  const reader = await lotsBefore(ledger, lots, currency, before)
  const cost =
    reader === null
      ? []
      : await sums(
          reader,
          `select account, coin, count(*), sum(quantity_left), sum(cost_basis_left), any_value(currency),
             coalesce(sum(quantity_left) filter (cost_basis_left is null), 0), ${reach('quantity_left', 'cost_basis_left')}
           from lots where ${OF_ACCOUNT} or account is null group by account, coin order by account, coin`,
          { account: account ?? null },
        )
  return [
    columnsOf(`${at}: quantity and value`, balances, HELD),
    ...(reader === null ? [] : [tableWith(`${at}: cost of open lots`, COST, cost)]),
  ]
}
