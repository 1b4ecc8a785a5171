// Proof: what an id means, traced to the bytes that the venue sent. The same as `tieout explain`.
import { shellWord } from '../../../models/text.ts'
import type { Config } from '../../config/config.ts'
import { explain } from '../../evidence/explain.ts'
import { explanationJson } from '../../evidence/print.ts'
import { lotsOf } from '../../reports/catalogue.ts'
import { defaultsOf } from '../../reports/defaults.ts'
import type { Proof, ProofStep } from '../api.ts'
import type { Edition, Published } from '../published.ts'
import { Refusal } from '../refusal.ts'
import type { Filters } from './filters.ts'

export interface ProofContext {
  readonly dir: string
  /** What a command to copy repeats, each after a space. */
  readonly options: string
  readonly config: Config
}

const LIMIT = 20
const LIMIT_MAX = 500

const LOT_OPTIONS = ['method', 'scope', 'rules', 'currency'] as const

export async function proof(
  published: Published,
  filters: Filters,
  { dir, options: repeated, config }: ProofContext,
): Promise<Proof> {
  const { id, limit } = filters
  if (id === undefined) {
    throw new Refusal(400, 'A proof needs one id.', { where: 'id', action: 'Name the id of a figure.' })
  }
  const steps = limit === undefined ? LIMIT : Number(limit)
  if (!Number.isInteger(steps) || steps < 1 || steps > LIMIT_MAX) {
    throw new Refusal(400, 'The limit is not a valid number of steps.', {
      where: 'limit',
      expected: `1 to ${LIMIT_MAX}`,
      action: 'Correct it.',
    })
  }
  const defaults = defaultsOf(config)
  const options = Object.fromEntries(LOT_OPTIONS.map((name) => [name, filters[name]]))
  const lots = lotsOf('gains', options, defaults) ?? {}
  const answer = async ({ ledger, stamp }: Edition): Promise<Proof> => {
    const explanation = await explain(ledger, dir, id, {
      limit: steps,
      lots,
      currency: filters.currency,
      showPersonalData: config.privacy.publish_personal_data,
    })
    return {
      stamp,
      ...(explanationJson(explanation) as { id: string; steps: ProofStep[] }),
      command: commandOf(id, filters, repeated),
    }
  }
  // Lots matched differently from the published ones are kept in memory, which is released after the answer.
  const chosen = [
    ...Object.values(options),
    defaults.method,
    defaults.scope,
    defaults.rules,
    defaults.feesInKind,
  ]
  return chosen.some((choice) => choice !== undefined)
    ? await published.useApart(answer)
    : await published.use(answer)
}

/** An id that begins with a dash would be taken for an option. */
export const commandOf = (id: string, filters: Filters, repeated: string): string =>
  [
    'tieout explain',
    ...(id.startsWith('-') ? [] : [shellWord(id)]),
    ...['limit', ...LOT_OPTIONS].flatMap((name) =>
      filters[name] === undefined ? [] : [`--${name} ${shellWord(String(filters[name]))}`],
    ),
  ].join(' ') +
  repeated +
  (id.startsWith('-') ? ` -- ${shellWord(id)}` : '')
