// What a report was made from, as hashes: the ledger table by table, the rules and methods of its lots, the
// prices among the tables, the journal up to its last frame, and the version of tieout; and which of them
// have changed since.

import type { Clock } from '../../models/clock.ts'
import { CorruptionError } from '../../models/error.ts'
import { packageVersion } from '../config/root.ts'
import { openJournal } from '../journal/journal.ts'
import { hashOfTables } from '../ledger/hash.ts'
import type { TableHashes } from '../ledger/known-hash.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { publishedMatching } from '../reports/disposals.ts'
import { type LotChoice, matchingOf } from '../rules/matching.ts'

/** How lots were matched: as published, or as asked for. */
export interface LotsInput {
  readonly method: string
  readonly scope: string
  readonly rules: string
  /** Only if fees in the acquired coin were netted. */
  readonly feesInKind?: 'net'
}

export interface Inputs {
  readonly tieout: string
  /** Hex SHA-256 over the contents of the ledger, as `nightly` compares it. */
  readonly ledger: string
  /** The same by table: `prices`, `lot_events`, `entries` and so on. */
  readonly tables: Readonly<Record<string, string>>
  /** Empty for a report without lots. */
  readonly lots: readonly LotsInput[]
  /** The journal at that time: its last frame and the chain hash that ends there. */
  readonly journal: { readonly seq: number; readonly chain: string }
}

/** `tables` are the hashes of the ledger; `lots` is null for a report without lots. */
export async function readInputs(
  ledger: Ledger,
  tables: TableHashes,
  dir: string,
  lots: LotChoice | null,
  methods: readonly string[],
  clock: Clock,
): Promise<Inputs> {
  const journal = await openJournal(dir, { mode: 'read', clock })
  const head = { seq: journal.lastSeq, chain: journal.lastChain }
  await journal.close()
  return {
    tieout: packageVersion,
    ledger: hashOfTables(tables),
    tables: Object.fromEntries(tables),
    lots: lots === null ? [] : await lotsInput(ledger, lots, methods),
    journal: head,
  }
}

async function lotsInput(ledger: Ledger, lots: LotChoice, methods: readonly string[]): Promise<LotsInput[]> {
  const { timeZone: _, ...choice } = lots
  if (methods.length > 0) return methods.map((method) => matched({ ...lots, selection: undefined, method }))
  if (Object.values(choice).some((value) => value !== undefined)) return [matched(lots)]
  const published = await publishedMatching(ledger)
  if (published === null) return []
  const { method, scope, rules, feesInKind } = published
  return [{ method, scope, rules, ...netted(feesInKind) }]
}

function matched(choice: LotChoice): LotsInput {
  const { method, scope, law, options } = matchingOf(choice)
  return { method, scope, rules: law.name, ...netted(options.feesInKind) }
}

const netted = (feesInKind: string | undefined): Pick<LotsInput, 'feesInKind'> =>
  feesInKind === 'net' ? { feesInKind } : {}

/** One line for each input that has changed since then; empty if all are the same. */
export function changesOf(before: Inputs, now: Inputs): string[] {
  const names = [...new Set([...Object.keys(before.tables), ...Object.keys(now.tables)])].toSorted()
  const tables = names.filter((name) => before.tables[name] !== now.tables[name])
  const lots = JSON.stringify(before.lots) !== JSON.stringify(now.lots)
  const grown = now.journal.seq - before.journal.seq
  return [
    ...(before.tieout === now.tieout ? [] : [`tieout was ${before.tieout} and is ${now.tieout}`]),
    ...(before.ledger === now.ledger ? [] : [`the ledger, in the tables ${tables.join(', ')}`]),
    ...(before.tables.prices === now.tables.prices ? [] : ['the prices']),
    ...(lots ? [`the lots: ${shown(before.lots)} then, ${shown(now.lots)} now`] : []),
    ...(grown === 0 ? [] : [`the journal: frame ${before.journal.seq} was its last, now ${now.journal.seq}`]),
  ]
}

const shown = (lots: readonly LotsInput[]): string =>
  lots.map(({ method, scope, rules }) => `method ${method}, scope ${scope}, rules ${rules}`).join('; ')

/** Whether the journal still holds what it held then: null if so, else what is wrong. */
export async function brokenChain(
  dir: string,
  { seq, chain }: Inputs['journal'],
  clock: Clock,
): Promise<string | null> {
  if (seq === 0) return null
  try {
    const journal = await openJournal(dir, { mode: 'read', clock, expect: { seq, chain } })
    await journal.close()
    return null
  } catch (error) {
    if (error instanceof CorruptionError) return error.message
    throw error
  }
}
