// Every reader of foreign input that is fuzzed.
import type { Target } from './target.ts'
import { callTarget, explainTarget, pathsTarget, reportTarget, sqlTarget } from './targets/books.ts'
import { fileTargets, filingTarget, importTargets } from './targets/files.ts'
import { journalTargets } from './targets/journal.ts'
import { outputTarget } from './targets/output.ts'
import { amountTarget, jsonTarget } from './targets/values.ts'
import { envelopeTarget, landingTarget, pageTargets } from './targets/venue.ts'

export const targets: readonly Target[] = [
  amountTarget,
  jsonTarget,
  envelopeTarget,
  ...pageTargets,
  landingTarget,
  ...importTargets,
  ...fileTargets,
  filingTarget,
  ...journalTargets,
  callTarget,
  reportTarget,
  explainTarget,
  sqlTarget,
  pathsTarget,
  outputTarget,
]
