// The command line as it is shipped, in one folder with its packages, which starts in two thirds of the time, run in real
// processes.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { APART, PROCESSES } from '../../../vite.config.ts'
import { bundleFolder } from '../../support/bundle.mjs'

/** Bundles the present sources; gives the path of the file. */
export const bundleProgram = async (): Promise<string> =>
  join(await bundleFolder({ ...PROCESSES, main: 'test/proof/torture/child.ts' }, APART), 'main.js')

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
