// Planted mistakes: each is a piece of the code under test and what stands in its place. All of them must be caught.
// A piece that is not found exactly once is an error, so that a mutation follows the code it was made for.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the pieces are source text.

import type { Focus } from './config.ts'

export interface Mutation {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
  /** Faults and feeds without which it makes no difference: every seed has them when this mistake is looked for. */
  readonly focus: readonly Focus[]
}

const walk = 'connectors/walk.ts'
const byTime = 'connectors/walk-by-time.ts'
const byId = 'connectors/walk-by-id.ts'
const pages = 'connectors/pages.ts'
const page = 'pipeline/sync/page.ts'
const plan = 'pipeline/sync/plan.ts'
const records = 'pipeline/ledger/records.ts'
const transaction = 'pipeline/landing/transaction.ts'
const landedPage = 'pipeline/landing/page.ts'
const rowReader = 'pipeline/landing/row-reader.ts'
const appender = 'pipeline/journal/appender.ts'
const journal = 'pipeline/journal/journal.ts'
const budget = 'connectors/budget.ts'
const budgets = 'connectors/budgets.ts'
const failure = 'pipeline/sync/failure.ts'
const recorder = 'pipeline/sync/recorder.ts'

const of = (name: string, file: string, find: string, replace: string, ...focus: Focus[]): Mutation => ({
  name,
  file,
  find,
  replace,
  focus,
})

/** Windows, pages and what they prove. */
const walking = [
  of(
    'window end exclusive',
    page,
    'endTime: String(asked.end)',
    'endTime: String(Math.max(asked.start, asked.end - 1))',
    'edge records',
  ),
  of(
    'window start exclusive',
    page,
    'startTime: String(asked.start)',
    'startTime: String(Math.min(asked.end, asked.start + 1))',
    'edge records',
  ),
  of(
    'next window begins one instant too early',
    byTime,
    '[{ start: older.start, end: times.start }]',
    '[{ start: older.start, end: times.start - 1 }]',
    'short page',
    'bursts',
    'newest first',
  ),
  of(
    'oldest instant of a page claimed though it goes on',
    byTime,
    'const covers = shared(rangeOf(times.start + 1, window.end), shown)',
    'const covers = shared(rangeOf(times.start, window.end), shown)',
    'bursts',
    'short page',
    'newest first',
  ),
  of(
    'newest instant of a page claimed though it goes on',
    byTime,
    'const proven = descends ? rangeOf(times.start + 1, window.end) : rangeOf(window.start, times.end - 1)',
    'const proven = descends ? rangeOf(times.start + 1, window.end) : rangeOf(window.start, times.end)',
    'bursts',
    'oldest first, forward',
  ),
  of(
    'whole window claimed by its first page',
    byTime,
    '  return isInstant(run.times)\n    ? apart(',
    '  if (full) return goOn(endpoint, known, shared(window, shown))\n  return isInstant(run.times)\n    ? apart(',
  ),
  of(
    'oldest first taken for newest first',
    byTime,
    "return rises ? { times: { start: first, end: last }, order: 'oldest first' } : null",
    "return rises ? { times: { start: first, end: last }, order: 'newest first' } : null",
    'oldest first, forward',
  ),
  of(
    'a short page of one instant taken for newest first',
    byTime,
    'const { window, rest, order } = state',
    "const { window, rest } = state\n  const order = state.order ?? 'newest first'",
    'oldest first, forward',
    'short page',
  ),
  of(
    'a full page of one instant taken for newest first',
    byTime,
    '    ? apart(endpoint, known, run.times.start)',
    "    ? askSide(endpoint, known, page, { ...run, order: 'newest first' }, shown)",
    'bursts',
    'oldest first, forward',
  ),
  of(
    'a page out of order taken for one in order',
    byTime,
    "return rises ? { times: { start: first, end: last }, order: 'oldest first' } : null",
    "return { times: { start: Math.min(...times), end: Math.max(...times) }, order: rises ? 'oldest first' : 'newest first' }",
    'page out of order',
    'short page',
    'newest first',
  ),
  of(
    'short page taken as the end of its window',
    byTime,
    '  const cursor = lastId(endpoint, page.rows)\n  if (cursor === null) return',
    '  const cursor = lastId(endpoint, page.rows)\n  if (cursor !== undefined) return',
    'short page',
    'newest first',
  ),
  of(
    'known rows behind a cursor taken as the end',
    byTime,
    'if (page.rows.length === 0) return goOn(endpoint, state, shared(claims, question.shown))',
    'if (newIds(endpoint, page, question.ids).length === 0) return goOn(endpoint, state, shared(claims, question.shown))',
    'repeated cursor',
    'short page',
    'newest first',
  ),
  of(
    'known rows among those behind a cursor overlooked',
    byId,
    'seen.isSound && fresh.length === told.rows.length && leadsOn(state.cursor, seen)',
    'seen.isSound && leadsOn(state.cursor, seen)',
    'bursts',
    'unordered instants',
  ),
  of(
    'an instant over the edge of a page taken for read',
    byId,
    'if (times[0] !== undefined && times[0] === seen.lastAt && !isInstant(state.window))',
    'if (times.length < 0)',
    'bursts',
    'unordered instants',
    'p2p.orders',
  ),
  of(
    'cursor believed to go on in its list',
    byId,
    'if (isProven) return',
    'if (isProven || question.ids.size > 0) return',
    'bursts',
    'oldest first, literal',
  ),
  of(
    'an instant that is not proven is not stated',
    page,
    'if (unproven !== null)',
    'if (unproven !== null && unproven.start < 0)',
    'bursts',
    'unordered instants',
  ),
  of(
    'short page taken as the end of a list',
    walk,
    '  const place = turnPage(endpoint, state, page)\n  if (place === null) return',
    "  const place = turnPage(endpoint, state, page)\n  if (place === null || (endpoint.page.kind !== 'none' && page.rows.length < endpoint.page.size)) return",
    'short page',
    'trade.orderHistory',
  ),
  of(
    'repeated cursor taken as the end',
    pages,
    "throw new RepeatedCursor(refusalOf(endpoint, 'repeated cursor', `${mark} came twice`))",
    'return null',
    'repeated cursor',
    'trade.orderHistory',
  ),
  of(
    'repeated cursor followed for ever',
    pages,
    'if (place.cursors.includes(mark))',
    'if (place.cursors.length > 9_999)',
    'repeated cursor',
    'bursts',
  ),
  of(
    'second pages not journaled',
    page,
    'await context.recorder.record(meta, answer.body)',
    'if (step.cursor === null) await context.recorder.record(meta, answer.body)',
  ),
  of(
    'future claimed by a clock that is ahead',
    page,
    'end: Math.min(window.end, venueThen)',
    'end: window.end',
    'clock skew',
  ),
  of(
    'start given up claimed all the same',
    page,
    'const from = asked.start - window.start <= EDGE_MS ? window.start : asked.start',
    'const from = window.start',
    'clock skew',
  ),
  of(
    'retention not clamped when sending',
    page,
    'if (start <= window.end) return { start, end: window.end }',
    'if (start <= window.end) return window',
    'lost response',
    'late response',
    'lost request',
  ),
  of(
    'window given up on one wrong requestTime',
    page,
    'if (oldestAt(context.clock.wall()) > window.end) throw new WindowGone()',
    'throw new WindowGone()',
    'wrong requestTime',
  ),
]

/** What is read again, and what is said of what was not had. */
const planning = [
  of(
    'look-back removed',
    plan,
    'readAt - lookbackMs, oldestUnsettled',
    'readAt, oldestUnsettled',
    'late records',
  ),
  of(
    'look-back counted from the newest end alone',
    plan,
    '({ start, end, readAt = newest }) => {',
    '({ start, end }) => {\n    const readAt = newest',
    'late records',
    'outage',
    'several nights',
    'tax.records',
  ),
  of(
    'unsettled orders not read again',
    plan,
    'known.oldestUnsettled ?? Number.POSITIVE_INFINITY',
    'Number.POSITIVE_INFINITY',
    'changed records',
  ),
  of(
    'unsettled orders on a begun window not read again',
    plan,
    '{ start: Number.NEGATIVE_INFINITY, end: unsettledFrom },',
    '{ start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY },',
    'changed records',
    'given up',
    'trade.orderHistory',
    'p2p.orders',
  ),
  of(
    'resumed window not read again in its newest part',
    plan,
    'end: Math.max(start, end - lookbackMs),',
    'end,',
    'late records',
    'given up',
    'p2p.orders',
  ),
  of(
    'lost ranges not stated',
    'pipeline/sync/feed.ts',
    'for (const range of plan.lost) {',
    'for (const range of plan.lost.slice(1)) {',
    'long absence',
  ),
  of(
    'what was never had is not lost',
    plan,
    '    known.wanted?.from ?? start,\n',
    '',
    'long absence',
    'server error',
    'outage',
  ),
  of(
    'what failed is not stated',
    failure,
    'for (const range of about) {',
    'for (const range of about.slice(1)) {',
    'server error',
    'outage',
  ),
  of(
    'neighbours of a stopped partition not stated',
    'pipeline/sync/feed.ts',
    'for (const rest of plans.slice(index + 1))',
    'for (const rest of plans.slice(index + 2))',
    'outage',
  ),
  of(
    'a classic account is not told of',
    'pipeline/sync/account.ts',
    "await state(context, whole, { status: 'not_applicable', code: identity.kind, reason })",
    'void reason',
  ),
]

/** Budgets, retries and clocks. */
const asking = [
  of(
    'budget fresh after a restart',
    budgets,
    'const notBefore = this.#openedAt + Math.max(0, perMs - this.#quietMs)',
    'const notBefore = this.#openedAt',
    'quick restart',
  ),
  of(
    'retries outside of the budget',
    'connectors/client.ts',
    'await this.#budgets.run(pending.spending, () => this.#tryOnce(pending), turn)',
    'pending.last !== null ? await this.#tryOnce(pending) : await this.#budgets.run(pending.spending, () => this.#tryOnce(pending), turn)',
    'server error',
  ),
  of(
    'slot freed at sending',
    budget,
    'await task().then(resolve, reject)',
    'void task().then(resolve, reject)',
  ),
  of(
    'slot freed at the answer',
    budget,
    'this.#options.clock.monotonic() + this.#options.perMs + SAFETY_MS',
    'this.#options.clock.monotonic()',
  ),
  of(
    'one request more than the budget',
    budget,
    'new PQueue({ concurrency: options.count })',
    'new PQueue({ concurrency: options.count + 1 })',
  ),
  of(
    'budget of the address ignored',
    budgets,
    'return budget.run(() => this.#address.run(task, turn), turn)',
    'return budget.run(task, turn)',
  ),
  of(
    'Retry-After ignored',
    'connectors/retry.ts',
    'Math.max(jitter, error.retryAfterMs ?? 0)',
    'jitter',
    'rate refusal with Retry-After',
  ),
  of(
    'Retry-After ignored where the body is cut off',
    'connectors/attempt.ts',
    'retryAfterMs: failure.head === null ? null : retryAfterMs(failure.head.headers, tried.wallNow),',
    'retryAfterMs: null,',
    'rate storm',
    'body cut off by a reset',
  ),
  of(
    'tries without end',
    'connectors/retry.ts',
    'export const TRIES_MAX = 5',
    'export const TRIES_MAX = 50',
    'outage',
  ),
  of(
    'requestTime of any length believed',
    'connectors/offset.ts',
    '/^[1-9]\\d{12}$/',
    '/^\\d+$/',
    'odd requestTime',
  ),
  of(
    'clock not measured again after a refusal',
    'connectors/client.ts',
    'if (error instanceof ClockRefused) this.#offset.forget()',
    '',
    'clock steps',
  ),
  of(
    'the venue’s clock follows a wall clock that is set',
    'connectors/client.ts',
    'return this.#offset.at(monotonic)',
    `const { clock } = this.#options
    const at = this.#offset.at(monotonic)
    const own = this as unknown as { drift?: number }
    own.drift ??= clock.wall() - clock.monotonic()
    return at === null ? null : Math.floor(at + clock.wall() - clock.monotonic() - own.drift)`,
    'clock steps',
  ),
  of(
    'now follows a wall clock that is set',
    'models/clock.ts',
    'return () => Math.floor(instant + clock.monotonic() - began)',
    'return () => clock.wall() + 0 * (instant + began)',
    'clock steps',
  ),
  of(
    'venue’s clock not measured at all',
    'connectors/client.ts',
    'if (envelope !== null && envelope.requestTime !== null)',
    'if (envelope === null)',
    'clock skew',
  ),
]

/** Answers that are none, and numbers. */
const reading = [
  of(
    'missing data read as an empty page',
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
    'one of two data members taken',
    'connectors/envelope.ts',
    '!envelope.success || saysTwoThings(value)',
    '!envelope.success',
    'two data members',
  ),
  of(
    'numbers of JSON through a float',
    'models/json.ts',
    'if (end < 0 && !survives(text, start, i)) {',
    'if (end < -1) {',
    'odd spellings',
  ),
  of(
    'amounts through a float',
    rowReader,
    '!sink.setPlain(place.column, value)',
    '!sink.setPlain(place.column, value) || sink.set(place.column, BigInt(Math.round(Number(value) * 1e18))) !== undefined',
  ),
  of(
    'nineteenth decimal cut off',
    'models/amount.ts',
    "if (/[1-9]/.test(fraction)) return { ok: false, problem: 'more than 18 decimal places' }",
    '',
    'bad rows',
  ),
  of(
    'the last of two equal keys taken',
    landedPage,
    "problems.some((problem) => problem.kind === 'conflicting key')",
    'false',
    'bad rows',
  ),
  of(
    'a bad row ends its page',
    landedPage,
    '      quarantined += 1\n',
    '      quarantined += 1\n      if (quarantined > 0) break\n',
    'bad rows',
  ),
  of(
    'quarantined rows are dropped',
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

/** Journal, landing and what is published of it. */
const keeping = [
  of(
    'acknowledged before the sync',
    appender,
    '      await file.write(bytes, this.size)\n      await file.sync()\n',
    '      await file.write(bytes, this.size)\n',
  ),
  of(
    'new segment not made safe in its folder',
    appender,
    '      await this.disk.syncDir(this.folder)\n    } catch (error) {',
    '    } catch (error) {',
  ),
  of('appends go on after a failure', appender, '        this.failure = failure\n', '', 'write error'),
  of(
    'chain of the journal not checked',
    'pipeline/journal/segment.ts',
    'if (!matches) throw this.brokenChain(seq, offset + PRELUDE_BYTES)',
    '',
    'corruption',
  ),
  of(
    'torn end left in place',
    journal,
    'if (appends && end.tear !== null) recovered = await moveTear(disk, folder, end.tear, options.clock)',
    '',
  ),
  of(
    'checksum of an empty body',
    'pipeline/journal/layout.ts',
    'return stored.length === 0 ? crc32(salt) : crc32(stored, crc32(salt))',
    'return crc32(stored, crc32(salt))',
    'empty body',
  ),
  of(
    'lock not checked',
    'pipeline/journal/lock.ts',
    'if (holder !== null && (await mayLive(holder))) throw refusal(path, holder)',
    '',
    'second run',
  ),
  of(
    'lock of a dead process respected',
    'pipeline/journal/lock.ts',
    '  if (start === null) return false\n',
    '  if (start === null) return true\n',
  ),
  of(
    'place of landing not stored',
    transaction,
    'update landing.main.state set landed_seq = $1, chain = $2, row_total = row_total + $3',
    'update landing.main.state set chain = $2, row_total = row_total + $3 where landed_seq > $1',
  ),
  of(
    'place of landing stored outside the transaction',
    transaction,
    "    await this.#run('update landing.main.state set landed_seq = $1,",
    "    await this.#connection.run('commit')\n    await this.#connection.run('begin')\n    await this.#run('update landing.main.state set landed_seq = $1,",
  ),
  of(
    'windows begun saved outside the transaction',
    transaction,
    '    let counted = this.#countedRows()\n',
    "    let counted = this.#countedRows()\n    await this.#connection.run('commit')\n    await this.#connection.run('begin')\n",
  ),
  of(
    'finished windows stay begun',
    transaction,
    'if (before !== undefined) await this.#deleteProgress(before)',
    '',
  ),
  of(
    'a frame landed a second time',
    'pipeline/landing/land-journal.ts',
    '        throw notOfThisJournal(`chain ${landed.chain}`, `chain ${frame.chain}`)\n      continue\n',
    '        throw notOfThisJournal(`chain ${landed.chain}`, `chain ${frame.chain}`)\n',
  ),
  of('the tail not landed at the start', 'pipeline/books/books.ts', 'if (behind > 0) {', 'if (behind > 1) {'),
  of(
    'deduplicated by content',
    records,
    'where repeated.again_account is null\n)`',
    "where repeated.again_account is null\n  qualify row_number() over (partition by ${content.filter((one) => !keys.includes(one)).join(', ')} order by page_id, page_row) = 1\n)`",
    'bursts',
  ),
  of(
    'versions merged into the last one',
    records,
    'as received join repeated on ${isRepeated}\n),',
    "as received join repeated on ${isRepeated}\n  qualify row_number() over (partition by ${keys.join(', ')} order by page_id desc, page_row) = 1\n),",
    'changed records',
  ),
  of(
    'the first version chosen as current',
    records,
    '${newest}last_place desc)',
    '${newest}last_place)',
    'changed records',
  ),
  of(
    'the oldest change chosen as current',
    records,
    ' desc nulls last, `',
    ' nulls last, `',
    'changed records',
  ),
]

export const mutations: readonly Mutation[] = [...walking, ...planning, ...asking, ...reading, ...keeping]

/** The flag that has every seed show the faults which this mistake is about. */
export const focusOf = ({ focus }: Mutation): string[] =>
  focus.length === 0 ? [] : [`--focus=${focus.join(';')}`]
