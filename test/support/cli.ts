// Runs the real command line in a separate process, from the current sources.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { whenTestEnds } from './beside.ts'
import { programFile } from './child.ts'

export interface Outcome {
  /** Exit code; null if a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Outcome>
}

/** Starts `tieout …`; the caller may kill it. */
export async function startTieout(
  args: readonly string[],
  environment: NodeJS.ProcessEnv = {},
): Promise<Running> {
  const child = spawn(process.execPath, [await programFile(), ...args], {
    env: { ...process.env, ...environment, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
  return { child, ended }
}

export async function tieout(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return (await startTieout(args, environment)).ended
}

/** Runs a command on these books and kills it as soon as it has journaled its work, before it has built. */
export async function killedOnceJournaled(args: readonly string[], dir: string): Promise<void> {
  const size = (): number => statSync(join(dir, 'journal', '000001.journal')).size
  const before = size()
  const { child, ended } = await startTieout([...args, '--dir', dir])
  while (size() === before && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 2))
  child.kill('SIGKILL')
  const { code, stderr } = await ended
  if (code !== null) throw new Error(`${args.join(' ')} ended with ${code} before it was killed: ${stderr}`)
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-test-'))
  whenTestEnds(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
