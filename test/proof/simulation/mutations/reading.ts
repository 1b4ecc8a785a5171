// Mistakes about answers that are none, and numbers.
import { of } from './mutation.ts'

const landedPage = 'pipeline/landing/page.ts'
const rowReader = 'pipeline/landing/row-reader.ts'
const recorder = 'pipeline/sync/recorder.ts'

export const reading = [
  of(
    'an answer without data read as an empty page',
    'models/rows.ts',
    "return 'data is missing'",
    "return { rows: [], place: 'list' }",
    'null data',
  ),
  of(
    'msg of an answer ignored',
    'connectors/attempt.ts',
    "if (envelope.message.toLowerCase() !== 'success')",
    'if (false)',
    'wrong msg',
  ),
  of(
    'one of two data members used without notice',
    'connectors/envelope.ts',
    '!envelope.success || saysTwoThings(value)',
    '!envelope.success',
    'two data members',
  ),
  of(
    'numbers in JSON read as floats',
    'models/json.ts',
    'if (end < 0 && !survives(text, start, i)) {',
    'if (end < -1) {',
    'odd spellings',
  ),
  of(
    'amounts converted through a float',
    rowReader,
    '!sink.setPlain(place.column, value)',
    '!sink.setPlain(place.column, value) || sink.set(place.column, BigInt(Math.round(Number(value) * 1e18))) !== undefined',
  ),
  of(
    'decimals beyond the 18th cut off',
    'models/amount.ts',
    "if (/[1-9]/.test(fraction)) return { ok: false, problem: 'more than 18 decimal places' }",
    '',
    'bad rows',
  ),
  of(
    'the last of two conflicting values of a key used',
    landedPage,
    "problems.some((problem) => problem.kind === 'conflicting key')",
    'false',
    'bad rows',
  ),
  of(
    'rows after a quarantined one not read',
    landedPage,
    '      quarantined += 1\n',
    '      quarantined += 1\n      if (quarantined > 0) break\n',
    'bad rows',
  ),
  of(
    'quarantined rows dropped',
    landedPage,
    'tables.quarantine.append([...of, field, reason, rawOf(index), Date.parse(at)])',
    'void [of, field, reason, at, rawOf]',
    'bad rows',
  ),
  of(
    'a row with an unknown value dropped',
    rowReader,
    "!place.values.has(value))\n          drift.add('unknown value', name, value)",
    "!place.values.has(value))\n          return { field: name, reason: 'an unknown value' }",
    'unknown types',
  ),
  of(
    'unknown fields dropped',
    rowReader,
    'misfits !== null || hasMore(row, known) ? extraOf(places, row, drift, misfits) : null',
    'null',
    'unknown fields',
  ),
  of(
    'secrets in pages journaled',
    recorder,
    'redactSecrets(received, secrets)',
    "redactSecrets(received, meta.kind === 'page' ? [] : secrets)",
    'secret echoed',
  ),
  of(
    'escaped secrets journaled',
    'connectors/secrets.ts',
    "if (body.includes(BACKSLASH)) readings.push('escaped')",
    '',
    'secret echoed',
  ),
  of(
    'secrets in refusals journaled',
    recorder,
    'redactSecrets(received, secrets)',
    "redactSecrets(received, meta.kind === 'refusal' ? [] : secrets)",
    'refusal that echoes a secret',
  ),
]
