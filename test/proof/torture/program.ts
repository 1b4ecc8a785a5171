// The command line as one file with its packages, which starts in half the time, run in real processes.
import { spawn } from 'node:child_process'
import { bundle } from '../../support/bundle.mjs'

/** With native parts, or with a worker of their own. */
const APART = /^(@duckdb\/|pino$|thread-stream$)/

/** Bundles the present sources; gives the path of the file. */
export const bundleProgram = (): Promise<string> =>
  bundle('test/proof/torture/child.ts', { external: (id) => APART.test(id) })

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  readonly ms: number
  /** It was given up because it did not end. */
  readonly hung: boolean
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** SIGKILL from outside after so many milliseconds. */
  readonly killAfterMs?: number
  /** A command that runs the program: `bash -c …` with the program's own command line behind it. */
  readonly through?: readonly string[]
}

/** No run of these small books takes so long, on the slowest machine. */
const HUNG_MS = 240_000

export type Program = (args: readonly string[], options?: RunOptions) => Promise<Ended>

export const programAt =
  (path: string): Program =>
  (args, options = {}) =>
    new Promise((resolveEnd, reject) => {
      const began = performance.now()
      const [command = '', ...rest] = [...(options.through ?? []), process.execPath, path, ...args]
      const child = spawn(command, rest, {
        env: { ...process.env, ...options.environment, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const output = { stdout: '', stderr: '' }
      let hung = false
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output.stdout += text
      })
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        output.stderr += text
      })
      const kill = (): void => void child.kill('SIGKILL')
      const killing = options.killAfterMs === undefined ? undefined : setTimeout(kill, options.killAfterMs)
      const givingUp = setTimeout(() => {
        hung = true
        kill()
      }, HUNG_MS)
      child.on('error', reject)
      child.on('close', (code, signal) => {
        clearTimeout(killing)
        clearTimeout(givingUp)
        resolveEnd({ code, signal, ...output, ms: performance.now() - began, hung })
      })
    })
