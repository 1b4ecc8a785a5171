// The reader of a command's output may go away at any time: the command still runs to its end, with its own exit code.
import { spawn } from 'node:child_process'
import { existsSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programFile } from '../support/child.ts'
import { temporaryFolder } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

/** The exit code where nobody reads these of its outputs, and what it wrote on the other one. */
async function unread(
  args: readonly string[],
  closed: 'stdout' | 'stderr',
): Promise<[number | null, string]> {
  const child = spawn(process.execPath, [await programFile(), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const other = closed === 'stdout' ? child.stderr : child.stdout
  child[closed].destroy()
  let text = ''
  other.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return [code, text]
}

for (const args of [
  ['endpoints'],
  ['status'],
  ['check', '--json'],
  ['nightly'],
  ['report', 'gains'],
  ['import', '--list'],
])
  test.each(['stdout', 'stderr'] as const)(`${args.join(' ')}, whose %s nobody reads`, async (closed) => {
    const words = [...args, '--dir', temporaryFolder()]
    const whole = await command(words)
    const [code, text] = await unread(words, closed)
    expect([code, text.includes('EPIPE')]).toEqual([whole.code, false])
  })

test.each(['stdout', 'stderr'] as const)(
  'a failing nightly run is notified, even if nobody reads its %s',
  async (closed) => {
    const dir = temporaryFolder()
    const told = join(dir, 'told')
    writeFileSync(
      join(dir, 'tieout.yaml'),
      JSON.stringify({
        venue: { base_url: 'http://127.0.0.1:1' },
        accounts: { main: { credentials: 'env' } },
        notify: { command: ['touch', told] },
      }),
    )
    const [code] = await unread(['nightly', '--dir', dir], closed)
    expect([code, existsSync(told)]).toEqual([(await command(['nightly', '--dir', dir])).code, true])
  },
)

test('a run completes even if there is no space for its log', async () => {
  const dir = temporaryFolder()
  const child = spawn(process.execPath, [await programFile(), 'build', '--log-level', 'info', '--dir', dir], {
    stdio: ['ignore', 'ignore', openSync('/dev/full', 'w')],
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  expect([code, existsSync(join(dir, 'ledger.duckdb'))]).toEqual([1, true])
})

test('an output that cannot be written is reported as such', async () => {
  const child = spawn(process.execPath, [await programFile(), 'endpoints'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  expect([code, text.split('\n')[0]]).toEqual([1, 'tieout: The standard output could not be written.'])
})
