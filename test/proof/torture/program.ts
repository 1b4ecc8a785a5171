// The command line as one file with its packages, which starts in half the time, run in real processes.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const cache = join(root, 'node_modules', '.cache', 'tieout-test')

/** With native parts, or with a worker of their own. */
const APART = /^(@duckdb\/|pino$|thread-stream$)/

/** In pieces, so that this file can itself be bundled by the same replacement. */
const META = ['import', 'meta'].join('.')

/** A bundled module still finds the files that stand beside its source. */
function ownPlace(code: string, id: string): string {
  return code
    .replaceAll(`${META}.url`, JSON.stringify(pathToFileURL(id).href))
    .replaceAll(`${META}.dirname`, JSON.stringify(dirname(id)))
    .replaceAll(`${META}.filename`, JSON.stringify(id))
}

/** Bundles the present sources; gives the path of the file. */
export async function bundleProgram(): Promise<string> {
  const bundle = await rolldown({
    input: join(root, 'test', 'proof', 'torture', 'child.ts'),
    platform: 'node',
    external: (id) => APART.test(id),
    plugins: [
      {
        name: 'own-place',
        transform: (code, id) =>
          id.includes('node_modules') ? undefined : { code: ownPlace(code, id), map: null },
      },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  const { code } = output[0]
  const path = join(cache, `program-${createHash('sha256').update(code).digest('hex').slice(0, 20)}.mjs`)
  await mkdir(cache, { recursive: true })
  await writeFile(`${path}.${process.pid}`, code)
  await rename(`${path}.${process.pid}`, path)
  return path
}

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
