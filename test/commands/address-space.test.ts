// A limit on address space (`ulimit -v`): the HTTP library reserves ten gigabytes, and so does the copy of it in Node itself.
import { spawn } from 'node:child_process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/index.ts'
import { programFile } from '../support/child.ts'
import { temporaryFolder } from '../support/cli.ts'
import { configureBooks } from '../support/sandbox-books.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 7, days: 1, now: new Date(), speed: 2_000 })
})
afterAll(() => sandbox?.close())

async function within(gigabytes: number): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const dir = temporaryFolder()
  await configureBooks(dir, sandbox, { speed: 2_000, since: '2026-01-01' })
  const words = ['call', 'account.settings', '--account', 'parent', '--log-level', 'error', '--dir', dir]
  const limited = ['-c', 'ulimit -v "$1"; shift; exec "$@"', 'bash', String(gigabytes * 1024 * 1024)]
  const child = spawn('bash', [...limited, process.execPath, await programFile(), ...words])
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, ...output }
}

test.skipIf(process.platform !== 'linux')(
  'too little of it is named with the limit to raise; enough for one of the two is enough',
  async () => {
    const little = await within(6)
    expect(little.code).toBe(5)
    expect(little.stderr).toContain(
      `tieout: The limits of this process leave no address space for a connection to ${new URL(sandbox.baseUrl).host}: account.settings`,
    )
    expect(little.stderr).toContain('next:     Raise the limit on address space (`ulimit -v`')
    expect(little.stderr).not.toContain('node:internal')
    const enough = await within(16)
    expect(enough).toMatchObject({ code: 0, stderr: '' })
  },
  120_000,
)
