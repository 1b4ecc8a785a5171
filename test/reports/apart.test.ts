// A process that is to answer a question may end before it is asked, as where a file of the installation is missing, or
// where the system takes its memory back: that is told, and nobody waits for it.
import { existsSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Clock, systemClock } from '../../models/clock.ts'
import { UsageError } from '../../models/error.ts'
import type { EngineSettings } from '../../pipeline/engine/settings.ts'
import { QueryStopped } from '../../pipeline/ledger/limits.ts'
import { askApart, endApart, startApart } from '../../pipeline/reports/apart.ts'
import type { Stopping } from '../../pipeline/reports/question.ts'
import { temporaryFolder } from '../support/cli.ts'

const ENGINE: EngineSettings = { memoryLimit: '1GB', threads: 1 } as never

test.each([
  ["throw new Error('Cannot find module x')", 'Cannot find module x'],
  ["process.kill(process.pid, 'SIGKILL')", 'SIGKILL'],
])(
  'a process that has ended before it is used: %s',
  async (program, found) => {
    const file = join(temporaryFolder(), 'program.mjs')
    writeFileSync(file, program)
    const waiting = startApart(file)
    await waiting.gone
    const pieces = askApart(waiting, { engine: ENGINE, timeoutMs: 60_000 }, { clock: systemClock })
    await expect(pieces[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      message: 'The process that answers queries could not be started.',
      details: { found, action: expect.stringContaining('open files (`ulimit -n`)') },
    })
  },
  5_000,
)

test('a process that the system cannot start is told by its word for that', async () => {
  const node = process.execPath
  process.execPath = join(temporaryFolder(), 'node')
  const waiting = startApart(join(temporaryFolder(), 'program.mjs'))
  process.execPath = node
  const pieces = askApart(waiting, { engine: ENGINE, timeoutMs: 60_000 }, { clock: systemClock })
  await expect(pieces[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    message: 'The process that answers queries could not be started.',
    details: { found: 'ENOENT' },
  })
})

test('a process that is no longer wanted is ended, and its folder removed', async () => {
  const file = join(temporaryFolder(), 'program.mjs')
  writeFileSync(file, "process.on('message', () => {})\nsetInterval(() => {}, 1_000)")
  const waiting = startApart(file)
  await endApart(waiting)
  expect(await waiting.gone).toEqual({ by: 'SIGKILL' })
  expect(existsSync(waiting.folder.path)).toBe(false)
}, 5_000)

/** A program that does this with its question, and what it said on the way to its end. */
function answering(text: string, stopping: Stopping = { clock: systemClock }) {
  const file = join(temporaryFolder(), 'program.mjs')
  writeFileSync(file, `const tell = (said) => new Promise((done) => process.send(said, done))\n${text}`)
  const waiting = startApart(file)
  const pieces = askApart(waiting, { engine: ENGINE, timeoutMs: 60_000 }, stopping)
  const read = async (): Promise<string> => {
    let answer = ''
    for await (const piece of pieces) answer += piece
    return answer
  }
  return { waiting, pieces, read }
}

const question = (text: string): string =>
  `process.on('message', async (question) => { if (question !== 'stop') { ${text} } })`

describe('a process that is asked', () => {
  test('has an environment and a folder of its own, which goes with it', async () => {
    const { waiting, read } = answering(
      question(`await tell({ kind: 'begun' })
        process.stdout.write(JSON.stringify([question.timeoutMs, process.cwd(), process.env]), async () => {
          await tell({ kind: 'answered' })
          process.exit(0)
        })`),
    )
    const { path } = waiting.folder
    const folder = realpathSync(path)
    expect(JSON.parse(await read())).toEqual([60_000, folder, { TMPDIR: path, TMP: path, TEMP: path }])
    expect(existsSync(folder)).toBe(false)
  })

  test.each([
    ['a mistake of the user', true, null, { constructor: UsageError, exitCode: 2 }],
    ['a fault', false, null, { exitCode: 1 }],
    ['the end of its time', true, 'time', { constructor: QueryStopped, exitCode: 2, why: 'time' }],
    ['the user', true, 'asked', { constructor: QueryStopped, exitCode: 5, why: 'asked' }],
  ])('and reports %s after a part of its answer fails with it', async (_, isUsage, stopped, expected) => {
    const failed = { kind: 'failed', isUsage, stopped, message: 'No.', details: { found: 'x' } }
    const { read } = answering(
      question(`await tell({ kind: 'begun' })
        process.stdout.write('half', async () => {
          await tell(${JSON.stringify(failed)})
          process.exit(0)
        })`),
    )
    const error = await read().catch((reason: unknown) => reason)
    expect(error).toMatchObject({ message: 'No.', details: { found: 'x' }, ...expected })
    expect(error instanceof UsageError).toBe(isUsage)
  })

  test('and crashes is told from one that ran out of memory', async () => {
    const ending = (end: string) =>
      answering(question(`await tell({ kind: 'begun' })\n${end}`))
        .read()
        .catch((reason: unknown) => reason)
    expect(await ending('process.exit(7)')).toMatchObject({
      message: 'The query crashed the process that was answering it.',
      details: { found: 'exit code 7' },
      exitCode: 2,
    })
    expect(
      await ending("process.stderr.write('memory', () => process.kill(process.pid, 'SIGKILL'))"),
    ).toMatchObject({ message: 'The query needs more memory than it may use.', exitCode: 2 })
    expect(
      await ending(
        "process.stderr.write('(node:7) Warning: no memory of it\\nmemory', () => process.kill(process.pid, 'SIGKILL'))",
      ),
    ).toMatchObject({ message: 'The query needs more memory than it may use.', exitCode: 2 })
  })

  test('has two seconds beyond its time, and two to stop once the user stops it; then it is ended', async () => {
    for (const [isAsked, ms, expected] of [
      [false, 62_000, { message: 'The query took too long and was stopped.', why: 'time' }],
      [true, 2_000, { message: 'The query was stopped.', why: 'asked' }],
    ] as const) {
      const slept: number[] = []
      const clock: Clock = {
        ...systemClock,
        sleep: async (wanted, signal) => {
          slept.push(wanted)
          if (wanted !== ms) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
        },
      }
      const stop = new AbortController()
      const { read } = answering(question("await tell({ kind: 'begun' })\nsetInterval(() => {}, 1_000)"), {
        clock,
        signal: stop.signal,
      })
      if (isAsked) stop.abort()
      await expect(read()).rejects.toMatchObject(expected)
      expect(slept).toContain(ms)
    }
  })

  test('is told that the user stops it, and may say how far it came', async () => {
    const stopped = { kind: 'failed', isUsage: true, stopped: 'asked', message: 'Half way.', details: {} }
    const program = `process.on('message', async (said) => {
      if (said === 'stop') { await tell(${JSON.stringify(stopped)}); process.exit(0) }
      await tell({ kind: 'begun' })
      process.stdout.write('half')
    })`
    for (const isEarly of [true, false]) {
      const stop = new AbortController()
      const { pieces } = answering(program, { clock: systemClock, signal: stop.signal })
      if (isEarly) stop.abort()
      const reading = async (): Promise<void> => {
        for await (const _ of pieces) stop.abort()
      }
      await expect(reading()).rejects.toMatchObject({ message: 'Half way.', exitCode: 5 })
    }
  })

  test('is ended if its reader goes away, which is no error of anybody', async () => {
    const { waiting, pieces } = answering(
      question(`await tell({ kind: 'begun' })
        process.stdout.write('half')
        setInterval(() => {}, 1_000)`),
    )
    for await (const piece of pieces) {
      expect(String(piece)).toBe('half')
      break
    }
    expect(await waiting.gone).toEqual({ by: 'SIGKILL' })
    // An error that nobody awaits would be told now.
    await new Promise((resolve) => setImmediate(resolve))
  })

  test('leaves no timer behind once it has answered', async () => {
    const waits: (AbortSignal | undefined)[] = []
    const clock: Clock = {
      ...systemClock,
      sleep: (ms, signal) => {
        waits.push(signal)
        return systemClock.sleep(ms, signal)
      },
    }
    const { read } = answering(
      question(`await tell({ kind: 'begun' })
        await tell({ kind: 'answered' })
        process.exit(0)`),
      { clock },
    )
    expect(await read()).toBe('')
    expect(waits.map((signal) => signal?.aborted)).toEqual([true])
  })

  test('is not asked with a limit of memory that is no size, and is ended', async () => {
    const file = join(temporaryFolder(), 'program.mjs')
    writeFileSync(file, 'setInterval(() => {}, 1_000)')
    const waiting = startApart(file)
    const question = { engine: { ...ENGINE, memoryLimit: 'lots' }, timeoutMs: 60_000 }
    const pieces = askApart(waiting, question, { clock: systemClock })
    await expect(pieces[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      message: 'The memory limit is not a valid size.',
      exitCode: 2,
    })
    expect(await waiting.gone).toEqual({ by: 'SIGKILL' })
  })
})
