// Where the disposals of a report come from: the published ones, or, for another method, scope or rules, the lots
// engine run again over the published `lot_events` into a database in memory.
import { UsageError } from '../../models/error.ts'
import { type LotOptions, methods } from '../lots/engine.ts'
import { lotsStep } from '../lots/step.ts'
import { loadTable } from '../output/load.ts'
import type { Ledger } from './ledger.ts'
import type { Reader } from './reader.ts'
import { requireTable } from './report.ts'

/** What a report was asked for; what is absent is as published. */
export interface LotChoice {
  readonly method?: string | undefined
  readonly scope?: string | undefined
  readonly rules?: string | undefined
  /** IANA zone whose days count under `ca`; UTC by default. */
  readonly timeZone?: string | undefined
}

export interface Disposals {
  /** Has the table `disposals`. */
  readonly reader: Reader
  /** How the lots were matched, for notes. */
  readonly note: string
}

type Rules = 'generic' | 'uk' | 'ca'
type Matching = LotOptions & { readonly rules: Rules }

const RULES: readonly Rules[] = ['generic', 'uk', 'ca']
const SCOPES = ['account', 'universal'] as const

/** The disposals under a choice. UsageError for a method, scope or rules that there are not, or that do not go together. */
export async function disposalsOf(ledger: Ledger, choice: LotChoice): Promise<Disposals> {
  const published = await ledger.query('select distinct method, rules from disposals order by all')
  const { method, scope, rules } = choice
  const asked = [method, scope, rules].some((option) => option !== undefined)
  // The table does not tell its scope, so a scope that is asked for is always computed.
  const suffices =
    published.length > 0 &&
    scope === undefined &&
    published.every(([name, law]) => (method ?? name) === name && (rules ?? law) === law)
  if (!asked || suffices) {
    const names = published.map(([name, law]) => `method ${name}, rules ${law}`)
    return {
      reader: ledger,
      note: names.length === 0 ? 'No disposals are published.' : `As published: ${names.join('; ')}.`,
    }
  }
  const matching = matchingOf(choice)
  return {
    reader: await computeDisposals(ledger, matching),
    note: `Computed for this report: method ${matching.method}, scope ${matching.scope}, rules ${matching.rules}.`,
  }
}

/** Runs the lots engine over the published events; the answer ends with the ledger. */
export async function computeDisposals(ledger: Ledger, matching: Matching): Promise<Reader> {
  requireTable(ledger, 'lot_events')
  return await ledger.scratch(async (connection) => {
    const session = await ledger.session()
    const events = await session.run(() => session.connection.prepare('select * from lot_events'))
    await loadTable(connection, 'lot_events', await session.start(events))
    await lotsStep(matching).run(connection)
  })
}

function matchingOf({ method, scope, rules, timeZone }: LotChoice): Matching {
  const law = oneOf('--rules', rules ?? (method === 'uk' || method === 'ca' ? method : 'generic'), RULES)
  const matched = oneOf('--method', method ?? (law === 'generic' ? 'fifo' : law), methods)
  if (
    (law === 'generic') === (matched === 'uk' || matched === 'ca') ||
    (law !== 'generic' && matched !== law)
  ) {
    throw new UsageError('The method does not belong to the rules.', {
      where: '--method, --rules',
      expected: 'uk or ca as both, or another method with the rules generic',
      found: `method ${matched}, rules ${law}`,
      action: 'Leave one of the two away.',
    })
  }
  // The pools of these two laws belong to the person, whatever accounts the coins lie in.
  const wide = oneOf('--scope', scope ?? (law === 'generic' ? 'account' : 'universal'), SCOPES)
  return { method: matched, scope: wide, rules: law, ...(timeZone === undefined ? {} : { timeZone }) }
}

function oneOf<T extends string>(option: string, given: string, known: readonly T[]): T {
  const found = known.find((name) => name === given)
  if (found !== undefined) return found
  throw new UsageError(`${option} does not know ${given}.`, {
    where: option,
    expected: `one of ${known.join(', ')}`,
    action: 'Correct the name.',
  })
}
