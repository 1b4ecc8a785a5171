// Sends an alert that a run failed or found new breaks: a small JSON, to a command's standard input or to a URL by POST. It is
// sent after everything is closed, contains no secrets, personal data or amounts, and changes no outcome.

import { spawn } from 'node:child_process'
import type { Clock } from '../../models/clock.ts'
import { type ExitCode, TieoutError } from '../../models/error.ts'
import type { NotifyEvent, NotifySettings } from '../config/config.ts'
import { packageVersion } from '../config/root.ts'
import type { Severity } from '../ledger/breaks.ts'
import type { BuildResult } from '../ledger/build.ts'
import type { SyncResult } from '../sync/sync.ts'

/** The result of a run, to the extent that it got. */
export interface RunReport {
  readonly run: string
  readonly command: string
  readonly startedAt: number
  readonly endedAt: number
  readonly exitCode: ExitCode
  /** The error that ended the run, if one was thrown. */
  readonly error?: unknown
  readonly sync?: SyncResult | undefined
  readonly build?: BuildResult | undefined
}

/** The message; names in snake_case, as in the published tables. */
export interface NotifyMessage {
  readonly tieout: string
  readonly events: readonly NotifyEvent[]
  readonly run_id: string
  readonly command: string
  readonly started_at: string
  readonly ended_at: string
  readonly outcome: string
  readonly exit_code: ExitCode
  readonly error: { readonly name: string; readonly message: string | null } | null
  /** Why the venue could not be read, once for each account and class; tieout's own messages, never the venue's text. */
  readonly failures: readonly { account: string; class: string; message: string }[]
  readonly requests: number | null
  readonly rows: number | null
  readonly retries: number | null
  /** Whether this run's ledger was published; null if the run did not get that far. */
  readonly published: boolean | null
  readonly open_breaks: Readonly<Record<Severity, number>> | null
  /** Of severity error and warning, at most a hundred; `new_break_count` counts all. */
  readonly new_breaks: readonly { break_id: string; check_name: string; severity: Severity }[]
  readonly new_break_count: number
}

const OUTCOMES: Readonly<Record<ExitCode, string>> = {
  0: 'done',
  1: 'unexpected',
  2: 'usage or configuration',
  3: 'open breaks',
  4: 'refused by the venue',
  5: 'incomplete',
}

const LISTED_MAX = 100
const TIME_LIMIT_MS = 15_000

/** The message for a run; null if none of the configured events happened. */
export function messageOf(report: RunReport, on: readonly NotifyEvent[]): NotifyMessage | null {
  const { run, command, startedAt, endedAt, exitCode, error, sync, build } = report
  const isNew = (firstSeenAt: string): boolean => Date.parse(firstSeenAt) >= startedAt
  const fresh = (build?.openBreaks ?? []).filter(
    ({ severity, firstSeenAt }) => severity !== 'notice' && isNew(firstSeenAt),
  )
  const failed = (exitCode !== 0 && exitCode !== 3) || build?.published === false
  const happened: readonly NotifyEvent[] = [
    ...(failed ? (['failure'] as const) : []),
    ...(fresh.length > 0 ? (['new_breaks'] as const) : []),
  ]
  const events = happened.filter((event) => on.includes(event))
  if (events.length === 0) return null
  return {
    tieout: packageVersion,
    events,
    run_id: run,
    command,
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
    outcome: OUTCOMES[exitCode],
    exit_code: exitCode,
    error: error === undefined ? null : describeError(error),
    failures: (sync?.failures ?? []).map(({ account, class: name, message }) => ({
      account,
      class: name,
      message,
    })),
    requests: sync?.requests ?? null,
    rows: sync?.rows ?? null,
    retries: sync?.retries ?? null,
    published: build?.published ?? null,
    open_breaks: build?.breaks ?? null,
    new_breaks: fresh
      .slice(0, LISTED_MAX)
      .map(({ breakId, checkName, severity }) => ({ break_id: breakId, check_name: checkName, severity })),
    new_break_count: fresh.length,
  }
}

/** tieout's own messages name endpoints and accounts. `found`, and the text of any other error, may come from the venue. */
const describeError = (error: unknown): { name: string; message: string | null } =>
  error instanceof TieoutError
    ? { name: error.name, message: error.message }
    : { name: error instanceof Error ? error.name : 'unknown', message: null }

/** Why an alert could not be delivered: never contains part of the message or of the URL, which may itself be a secret. */
export interface NotifyFailure {
  readonly by: 'command' | 'url'
  readonly reason: string
}

/** Sends the alert to the command and the URL, whichever are configured. Never throws. */
export async function notify(
  settings: NotifySettings,
  message: NotifyMessage,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): Promise<NotifyFailure[]> {
  const text = JSON.stringify(message)
  const { command, url } = settings
  const told = await Promise.all([
    command === undefined ? null : attempt('command', () => runCommand(command, text, clock, environment)),
    url === undefined ? null : attempt('url', () => post(url, text, clock)),
  ])
  return told.filter((failure) => failure !== null)
}

async function attempt(
  by: NotifyFailure['by'],
  work: () => Promise<string | null>,
): Promise<NotifyFailure | null> {
  const reason = await work().catch((error: unknown) => systemCode(error))
  return reason === null ? null : { by, reason }
}

/** The system's error code (ECONNREFUSED), explained for programs. The error's text is not used: it might repeat the URL. */
function systemCode(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? (OF_PROGRAMS[code] ?? code) : String(name ?? 'an error')
}

const OF_PROGRAMS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program (ENOENT)',
  EACCES: 'the program may not be run (EACCES)',
  ENOTDIR: 'there is no such program (ENOTDIR)',
  ENOEXEC: 'the file is no program (ENOEXEC)',
}

const tooLong = `no end within ${TIME_LIMIT_MS / 1000} s`

/** Without a shell, without credentials of the venue in its environment, and with all that it starts when its time is over. */
async function runCommand(
  [program = '', ...args]: readonly string[],
  text: string,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('TIEOUT_')))
  const child = spawn(program, args, {
    env,
    shell: false,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // A command that does not read is none of our business.
  child.stdin?.on('error', () => undefined)
  const over = new AbortController()
  const ended = new Promise<string | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) =>
      resolve(code === 0 ? null : signal === null ? `it ended with code ${code}` : `it ended by ${signal}`),
    )
  })
  child.stdin?.end(text)
  const late = clock.sleep(TIME_LIMIT_MS, over.signal).then(() => tooLong)
  try {
    const reason = await Promise.race([ended, late])
    if (reason === tooLong) killGroup(child.pid)
    return reason
  } finally {
    over.abort()
    child.unref()
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended just now.
  }
}

async function post(url: string, text: string, clock: Clock): Promise<string | null> {
  const { origin, pathname, search } = new URL(url)
  const { Agent } = await import('undici')
  const agent = new Agent()
  const ending = new AbortController()
  const over = new AbortController()
  void clock.sleep(TIME_LIMIT_MS, over.signal).then(() => ending.abort())
  try {
    const response = await agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': `tieout/${packageVersion}` },
      body: text,
      signal: ending.signal,
    })
    return response.statusCode >= 200 && response.statusCode < 300 ? null : `HTTP ${response.statusCode}`
  } catch (error) {
    if (ending.signal.aborted && !over.signal.aborted) return tooLong
    throw error
  } finally {
    over.abort()
    await agent.destroy()
  }
}
