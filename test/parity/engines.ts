// ClickHouse's engine in processes of their own, each behind the part of its HTTP interface that tieout speaks. The npm
// package that brings it is half a gigabyte and stands in a folder of its own (engine/), which is filled when it is needed.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, 'engine')

/** Installs what the lock file beside the engine names, unless it is there. */
export function installEngine(): void {
  if (existsSync(join(FOLDER, 'node_modules', 'chdb', 'package.json'))) return
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: FOLDER, stdio: 'inherit' })
  if (status !== 0) throw new Error(`npm ci in ${FOLDER} ended with code ${status}.`)
}

export interface Engine {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** Starts an engine without data. */
export async function startEngine(): Promise<Engine> {
  const data = mkdtempSync(join(tmpdir(), 'tieout-engine-'))
  const child: ChildProcess = spawn(process.execPath, [join(FOLDER, 'server.mjs'), data], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const gone = once(child, 'close')
  const port = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data').then(([piece]) => Number(String(piece))),
    gone.then(([code]) => {
      throw new Error(`The engine ended with code ${code} before it listened.`)
    }),
  ])
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    stop: async () => {
      child.kill('SIGKILL')
      await gone
      rmSync(data, { recursive: true, force: true })
    },
  }
}
