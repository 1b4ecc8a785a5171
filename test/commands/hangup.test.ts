// A terminal that closes under a run: it stops cleanly, as after Ctrl-C, and the notification is sent. Real processes,
// and a real terminal by `script`.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { programFile } from '../support/child.ts'
import { startTieout, temporaryFolder } from '../support/cli.ts'

interface Waiting {
  readonly dir: string
  /** Resolves as soon as the venue has been asked, which never answers. */
  readonly asked: Promise<void>
  /** What `notify` was told, as JSON. */
  readonly told: string
}

const CREDENTIALS = Object.fromEntries(
  ['KEY', 'SECRET', 'PASSPHRASE'].map((name) => [`TIEOUT_MAIN_${name}`, 'x']),
)

/** Books whose venue never answers. */
async function waitingBooks(): Promise<Waiting> {
  const dir = join(temporaryFolder(), 'books')
  mkdirSync(dir)
  const told = join(dir, '..', 'told.json')
  let ask = (): void => {}
  const asked = new Promise<void>((resolve) => {
    ask = resolve
  })
  const venue = createServer(() => ask())
  await new Promise<void>((resolve) => venue.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    venue.closeAllConnections()
    venue.close()
  })
  const { port } = venue.address() as AddressInfo
  const configuration = {
    venue: { base_url: `http://127.0.0.1:${port}` },
    accounts: { main: {} },
    notify: { command: ['/bin/sh', '-c', 'cat > "$0"', told] },
  }
  writeFileSync(join(dir, 'tieout.yaml'), JSON.stringify(configuration))
  return { dir, asked, told }
}

async function until(happened: () => boolean): Promise<void> {
  while (!happened()) await new Promise((resolve) => setTimeout(resolve, 50))
}

const TOLD = { command: 'nightly', exit_code: 5, outcome: 'incomplete', published: true }

describe('a hangup', { timeout: 120_000 }, () => {
  test('stops a run cleanly, with code 5, however often it arrives', async () => {
    const { dir, asked, told } = await waitingBooks()
    const { child, ended } = await startTieout(['nightly', '--dir', dir], CREDENTIALS)
    await asked
    child.kill('SIGHUP')
    await Promise.race([ended, new Promise((resolve) => child.stderr?.once('data', resolve))])
    child.kill('SIGHUP')

    const { code, stderr } = await ended

    expect(code).toBe(5)
    expect(stderr).toContain('Stopping after the work in progress; progress is kept.')
    expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject(TOLD)
  })

  test.skipIf(spawnSync('script', ['--version']).status !== 0)(
    'of a terminal that is gone leaves the run its code, though nothing can be written there',
    async () => {
      const { dir, asked, told } = await waitingBooks()
      const codeFile = join(dir, '..', 'code')
      // The shell hands the hangup on, as that of a terminal does, and outlives it to say how the run ended.
      const line = [
        '"$NODE" "$PROGRAM" nightly --dir "$DIR" </dev/tty & run=$!',
        `trap 'kill -HUP $run' HUP; wait $run; wait $run`,
        'echo $? >"$CODE.part"; mv "$CODE.part" "$CODE"',
      ].join('\n')
      const terminal = spawn('script', ['-qec', line, '/dev/null'], {
        stdio: ['pipe', 'ignore', 'ignore'],
        env: {
          ...process.env,
          ...CREDENTIALS,
          NODE: process.execPath,
          PROGRAM: await programFile(),
          DIR: dir,
          CODE: codeFile,
        },
      })
      await asked
      terminal.kill('SIGKILL')
      await until(() => existsSync(codeFile))

      expect(readFileSync(codeFile, 'utf8')).toBe('5\n')
      expect(JSON.parse(readFileSync(told, 'utf8'))).toMatchObject(TOLD)
    },
  )
})
