// The lock on the books, with real processes: one writer at a time, and a dead one is never waited for.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { UsageError } from '../../models/error.ts'
import { type Disk, nodeDisk } from '../../pipeline/journal/disk.ts'
import { acquireLock, describeSelf, fromPs, isProcess, mayLive } from '../../pipeline/journal/lock.ts'
import { compileForChild } from '../support/child.ts'
import { at, emptyBooks, stillClock } from '../support/journal.ts'

let program = ''

beforeAll(async () => {
  program = await compileForChild('test/support/lock-child.ts')
})

interface Child {
  readonly process: ChildProcess
  line(): Promise<string>
  kill(): Promise<void>
}

function start(...parameters: string[]): Child {
  const child = spawn(process.execPath, [program, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  onTestFinished(kill)
  return { process: child, line: async () => String((await lines.next()).value), kill }
}

const holder = async (dir: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(join(dir, 'lock'), 'utf8'))

test('lock: it names process, start, host and command, and is removed on release', async () => {
  const dir = await emptyBooks()

  const lock = await acquireLock(dir, 'nightly --dir books', stillClock)

  expect(await holder(dir)).toEqual({
    pid: process.pid,
    processStartedAt: expect.stringMatching(/^2026-01-0\dT[\d:.]+Z$/),
    processStart: expect.stringMatching(/./),
    host: hostname(),
    command: 'nightly --dir books',
    since: at,
  })
  expect(await readdir(dir)).toEqual(['lock'])
  await lock.release()
  expect(await readdir(dir)).toEqual([])
})

test('lock: a living holder is named with its start and command, and nothing is changed', async () => {
  const dir = await emptyBooks()
  const child = start(dir)
  expect(await child.line()).toBe('held')
  const before = await holder(dir)

  const refused = await acquireLock(dir, 'sync', stillClock).catch((error: unknown) => error)

  expect(refused).toBeInstanceOf(UsageError)
  const error = refused as UsageError
  expect(error.exitCode).toBe(2)
  expect(error.describe()).toBe(
    [
      'Another run is writing to these books.',
      `  where:    ${join(dir, 'lock')}`,
      '  expected: no other run',
      `  found:    process ${child.process.pid} on ${hostname()}, started ${before.processStartedAt}, command "nightly", since ${before.since}`,
      `  next:     Wait for it or stop it (process ${child.process.pid}), then run again.`,
    ].join('\n'),
  )
  expect(await holder(dir)).toEqual(before)
  expect(await readdir(dir)).toEqual(['lock'])
})

test('lock: a second lock in the same process is refused', async () => {
  const dir = await emptyBooks()
  const lock = await acquireLock(dir, 'sync', stillClock)

  await expect(acquireLock(dir, 'build', stillClock)).rejects.toThrow(
    'Another run is writing to these books.',
  )

  await lock.release()
  await (await acquireLock(dir, 'build', stillClock)).release()
})

test('lock: the lock of a holder killed by SIGKILL is taken over at once', async () => {
  const dir = await emptyBooks()
  const child = start(dir)
  expect(await child.line()).toBe('held')
  await child.kill()

  const lock = await acquireLock(dir, 'sync', stillClock)

  expect((await holder(dir)).pid).toBe(process.pid)
  await lock.release()
})

test('lock: a process that has ended and was not yet collected by its parent counts as dead', async () => {
  const mine = await describeSelf('sync', stillClock)
  // The program that takes the place of the shell does not know of the shell's child, and never collects it.
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [said] = await once(parent.stdout, 'data')
  const pid = Number(String(said))
  const read = async (of: number | undefined, file: string) =>
    (await readFile(`/proc/${of}/${file}`)).toString()
  const state = async () => (await read(pid, 'stat')).split(') ')[1]?.[0]
  const soon = { interval: 2, timeout: 10_000 }
  await expect.poll(() => read(parent.pid, 'comm'), soon).toBe('sleep\n')
  expect(await mayLive({ ...mine, pid, processStart: 'unknown' })).toBe(true)
  process.kill(pid, 'SIGKILL')
  await expect.poll(state, soon).toBe('Z')

  expect(await mayLive({ ...mine, pid, processStart: 'unknown' })).toBe(false)
})

test('lock: a holder whose start is not known counts as alive as long as there is a process with its id', async () => {
  const mine = await describeSelf('sync', stillClock)

  expect(await mayLive({ ...mine, processStart: 'unknown' })).toBe(true)
})

test('lock: a process that may not be signalled exists', () => {
  const refuse = (code: string) =>
    vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error(code), { code })
    })
  onTestFinished(() => void vi.restoreAllMocks())

  refuse('EPERM')
  expect(isProcess(4_711)).toBe(true)
  refuse('ESRCH')
  expect(isProcess(4_711)).toBe(false)
})

test('lock: an attempt that a dead process with the same id left behind does not get in the way', async () => {
  const dir = await emptyBooks()
  const claims: string[] = []
  const disk: Disk = {
    ...nodeDisk,
    open: (path, ...how) => {
      claims.push(path)
      return nodeDisk.open(path, ...how)
    },
  }
  await (await acquireLock(dir, 'sync', stillClock, disk)).release()
  // Attempts are counted.
  const [before = '', count = ''] = (claims[0] ?? '').split(/(?<=-)(?=\d+$)/)
  expect(before).toBe(`${join(dir, 'lock')}.${process.pid}-`)
  await writeFile(`${before}${Number(count) + 1}`, '{"pid":')

  const lock = await acquireLock(dir, 'build', stillClock)

  expect(await readdir(dir)).toEqual(['lock'])
  await lock.release()
})

test('lock: a process that cannot be inspected counts as alive', async () => {
  const mine = await describeSelf('sync', stillClock)
  const { platform } = process
  onTestFinished(() => void Object.defineProperty(process, 'platform', { value: platform }))
  onTestFinished(() => void vi.unstubAllEnvs())
  Object.defineProperty(process, 'platform', { value: 'freebsd' })
  vi.stubEnv('PATH', '/nonexistent')

  expect(await mayLive({ ...mine, processStart: 'an earlier boot 17' })).toBe(true)
  expect((await describeSelf('sync', stillClock)).processStart).toBe('unknown')
})

test('lock: a pid that another process has since been given does not keep the books locked', async () => {
  const dir = await emptyBooks()
  const lock = await acquireLock(dir, 'sync', stillClock)
  const mine = await holder(dir)
  await lock.release()
  await writeFile(join(dir, 'lock'), JSON.stringify({ ...mine, processStart: 'an earlier boot 17' }))

  const taken = await acquireLock(dir, 'build', stillClock)

  expect((await holder(dir)).command).toBe('build')
  await taken.release()
})

test.each([
  ['empty', ''],
  ['cut off', '{"pid":12,"proc'],
  ['of another form', '{"pid":"12"}'],
])('lock: a file that is %s counts as a dead holder', async (_, content) => {
  const dir = await emptyBooks()
  await writeFile(join(dir, 'lock'), content)

  const lock = await acquireLock(dir, 'sync', stillClock)

  expect((await holder(dir)).pid).toBe(process.pid)
  await lock.release()
})

test.each([
  [
    'a symbolic link that leads nowhere',
    (path: string) => symlink('/nonexistent/lock', path),
    'a symbolic link',
  ],
  ['a folder', (path: string) => mkdir(path), 'a folder'],
])('lock: %s is refused by name, and left unchanged', async (_, make, found) => {
  const dir = await emptyBooks()
  const path = join(dir, 'lock')
  await make(path)

  const refused = (await acquireLock(dir, 'sync', stillClock).catch((error: unknown) => error)) as UsageError

  expect(refused).toBeInstanceOf(UsageError)
  expect(refused.details).toMatchObject({
    where: path,
    found,
    action: expect.stringContaining(`remove ${path}`),
  })
  expect(await readdir(dir)).toEqual(['lock'])
})

test('lock: a name that is taken and cannot be read is not retried forever', async () => {
  const dir = await emptyBooks()
  const disk: Disk = { ...nodeDisk, link: async () => false }

  await expect(acquireLock(dir, 'sync', stillClock, disk)).rejects.toThrow(
    'The lock on these books is not a file created by tieout.',
  )
})

test('lock: the lock of another host is refused, naming the file to remove', async () => {
  const dir = await emptyBooks()
  const lock = await acquireLock(dir, 'sync', stillClock)
  const elsewhere = { ...(await holder(dir)), host: 'elsewhere', pid: 1 }
  await lock.release()
  await writeFile(join(dir, 'lock'), JSON.stringify(elsewhere))

  const refused = (await acquireLock(dir, 'sync', stillClock).catch((error: unknown) => error)) as UsageError

  expect(refused).toBeInstanceOf(UsageError)
  expect(refused.message).toBe(
    'Another host holds the lock on these books, so its process cannot be checked.',
  )
  expect(refused.details.action).toBe(
    `Make sure that nothing on elsewhere is writing to these books, then remove the file ${join(dir, 'lock')}.`,
  )
  expect(await holder(dir)).toEqual(elsewhere)
})

test('lock: release leaves a lock that is not ours alone', async () => {
  const dir = await emptyBooks()
  const lock = await acquireLock(dir, 'sync', stillClock)
  const other = JSON.stringify({ ...(await holder(dir)), host: 'elsewhere' })
  await writeFile(join(dir, 'lock'), other)

  await lock.release()

  expect(await readFile(join(dir, 'lock'), 'utf8')).toBe(other)
})

test('lock: of six processes that take over a dead lock at the same moment exactly one wins', async () => {
  for (let round = 0; round < 4; round += 1) {
    const dir = await emptyBooks()
    await writeFile(join(dir, 'lock'), round % 2 === 0 ? '' : await deadHolder())
    const signal = join(dir, 'go')
    const children = Array.from({ length: 6 }, () => start(dir, signal))
    for (const child of children) expect(await child.line()).toBe('ready')

    await writeFile(signal, '')
    const outcomes = await Promise.all(children.map((child) => child.line()))

    expect(outcomes.toSorted()).toEqual(['held', 'refused', 'refused', 'refused', 'refused', 'refused'])
    const winner = children[outcomes.indexOf('held')]
    expect((await holder(dir)).pid).toBe(winner?.process.pid)
    await Promise.all(children.map((child) => child.kill()))
  }
})

test('lock: the lock of a process that died while taking over is taken over too, and its files are removed', async () => {
  const dir = await emptyBooks()
  const dead = await deadHolder()
  await writeFile(join(dir, 'lock'), dead)
  const { createHash } = await import('node:crypto')
  const right = `lock.${createHash('sha256').update(dead).digest('hex').slice(0, 16)}`
  await writeFile(join(dir, right), dead)
  await writeFile(join(dir, 'lock.4194304-1'), dead)

  const lock = await acquireLock(dir, 'sync', stillClock)

  expect(await readdir(dir)).toEqual(['lock'])
  expect((await holder(dir)).pid).toBe(process.pid)
  await lock.release()
})

test('lock: a claim that a process had not finished writing when it died is removed; one of a living process stays', async () => {
  const dir = await emptyBooks()
  const { pid } = JSON.parse(await deadHolder()) as { pid: number }
  await writeFile(join(dir, `lock.${pid}-1`), '{"pid":12,"proc')
  await writeFile(join(dir, `lock.${process.pid}-999`), '')

  const lock = await acquireLock(dir, 'sync', stillClock)

  expect(await readdir(dir)).toEqual(['lock', `lock.${process.pid}-999`])
  await lock.release()
})

/** The lock of a process that really lived and was killed. */
async function deadHolder(): Promise<string> {
  const dir = await emptyBooks()
  const child = start(dir)
  expect(await child.line()).toBe('held')
  await child.kill()
  return readFile(join(dir, 'lock'), 'utf8')
}

test('lock: whatever someone else put beside it stays', async () => {
  const dir = await emptyBooks()
  const dead = await deadHolder()
  for (const folder of ['lock.x', 'lock.4194303-1', 'lock.0123456789abcdef']) await mkdir(join(dir, folder))
  for (const file of ['lock.old', 'lock.txt']) await writeFile(join(dir, file), dead)
  const before = await readdir(dir)

  const lock = await acquireLock(dir, 'nightly', stillClock)
  await lock.release()

  expect(await readdir(dir)).toEqual(before)
})

test('lock: without /proc, ps gives the state and start of a process', async () => {
  const { state, start: started } = await fromPs(process.pid)

  expect(state).toMatch(/^[RS]/)
  expect(Math.abs(Date.parse(`${started} UTC`) - (Date.now() - process.uptime() * 1_000))).toBeLessThan(5_000)
})
