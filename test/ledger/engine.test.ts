// What DuckDB may use: found in the configuration, else taken as a share of what the machine or its cgroup has; and what
// becomes of work for which it is not enough. The cgroups are files in a folder; DuckDB and its limits are real.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../models/clock.ts'
import { landingFeeds, landingRecords, openBooks } from '../../pipeline/books/books.ts'
import { readConfig } from '../../pipeline/config/config.ts'
import { exampleConfig } from '../../pipeline/config/example.ts'
import { type Machine, readMachine } from '../../pipeline/engine/machine.ts'
import { queryTooLarge } from '../../pipeline/engine/out-of-memory.ts'
import { engineSettings, readerSettings } from '../../pipeline/engine/settings.ts'
import { describeSize, parseSize } from '../../pipeline/engine/size.ts'
import { openLanding } from '../../pipeline/landing/database.ts'
import { openLedger } from '../../pipeline/ledger/ledger.ts'
import { limited } from '../../pipeline/serve/console.ts'
import { publish } from '../reports/books.ts'
import { TestBooks } from '../support/books.ts'
import { temporaryFolder, tieout } from '../support/cli.ts'
import { command } from '../support/in-process.ts'

const GIB = 2 ** 30
/** Of a file that DuckDB could divide among threads; what is behind its end is a hole. */
const LARGE = 65 * 2 ** 20

/** A root of a file system with these files, as /proc and /sys are on a machine. */
function root(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), `${text}\n`)
  }
  return folder
}

const bare = { totalBytes: 24 * GIB, processors: 8 }

describe('a machine', () => {
  test('without cgroups has what the system reports', () => {
    expect(readMachine({ ...bare, root: root({}) })).toEqual({
      memoryBytes: 24 * GIB,
      memoryOf: 'machine',
      processors: 8,
    })
  })

  test('whose cgroups set no limit has what the system reports', () => {
    const unlimited = root({
      'proc/self/cgroup': '0::/user.slice',
      'sys/fs/cgroup/user.slice/memory.max': 'max',
      'sys/fs/cgroup/user.slice/memory.high': 'max',
      'sys/fs/cgroup/user.slice/cpu.max': 'max 100000',
    })
    expect(readMachine({ ...bare, root: unlimited })).toEqual({
      memoryBytes: 24 * GIB,
      memoryOf: 'machine',
      processors: 8,
    })
  })

  test('in a container (cgroup v2, its own group as the root) has what the container may use', () => {
    const container = root({
      'proc/self/cgroup': '0::/',
      'sys/fs/cgroup/memory.max': '2147483648',
      'sys/fs/cgroup/cpu.max': '150000 100000',
    })
    expect(readMachine({ ...bare, root: container })).toEqual({
      memoryBytes: 2 * GIB,
      memoryOf: 'cgroup',
      processors: 2,
    })
  })

  test('is limited by the smallest value of its group and those around it, including memory.high', () => {
    const nested = root({
      'proc/self/cgroup': '0::/batch.slice/job-7.scope',
      'sys/fs/cgroup/batch.slice/memory.max': String(3 * GIB),
      'sys/fs/cgroup/batch.slice/cpu.max': '400000 100000',
      'sys/fs/cgroup/batch.slice/job-7.scope/memory.max': 'max',
      'sys/fs/cgroup/batch.slice/job-7.scope/memory.high': String(GIB),
      'sys/fs/cgroup/batch.slice/job-7.scope/cpu.max': '20000 100000',
    })
    expect(readMachine({ ...bare, root: nested })).toEqual({
      memoryBytes: GIB,
      memoryOf: 'cgroup',
      processors: 1,
    })
  })

  test('with cgroup v1 is limited by each controller', () => {
    const old = root({
      'proc/self/cgroup': '9:memory:/docker/4f0c\n4:cpu,cpuacct:/docker/4f0c\n1:name=systemd:/docker/4f0c',
      'sys/fs/cgroup/memory/docker/4f0c/memory.limit_in_bytes': String(4 * GIB),
      'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712',
      'sys/fs/cgroup/cpu,cpuacct/docker/4f0c/cpu.cfs_quota_us': '300000',
      'sys/fs/cgroup/cpu,cpuacct/docker/4f0c/cpu.cfs_period_us': '100000',
    })
    expect(readMachine({ ...bare, root: old })).toEqual({
      memoryBytes: 4 * GIB,
      memoryOf: 'cgroup',
      processors: 3,
    })
  })

  test('with cgroup v1 in a container whose group is mounted as the root is limited by that', () => {
    const mounted = root({
      'proc/self/cgroup': '9:memory:/docker/4f0c\n4:cpu,cpuacct:/docker/4f0c',
      'sys/fs/cgroup/memory/memory.limit_in_bytes': String(4 * GIB),
      'sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1',
      'sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000',
    })
    expect(readMachine({ ...bare, root: mounted })).toMatchObject({ memoryBytes: 4 * GIB, processors: 8 })
  })

  test('never has more than exists, however much its cgroup would allow', () => {
    const generous = root({
      'proc/self/cgroup': '0::/',
      'sys/fs/cgroup/memory.max': String(64 * GIB),
      'sys/fs/cgroup/cpu.max': '3200000 100000',
    })
    expect(readMachine({ ...bare, root: generous })).toEqual({
      memoryBytes: 24 * GIB,
      memoryOf: 'machine',
      processors: 8,
    })
  })
})

describe('sizes', () => {
  test.each([
    ['8GB', 8_000_000_000],
    ['512MB', 512_000_000],
    ['2GiB', 2 * GIB],
    ['1.5 gb', 1_500_000_000],
    ['64mib', 64 * 2 ** 20],
    ['1TB', 1_000_000_000_000],
  ])('%s is %d bytes', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes)
  })

  test.each(['8', '8 G', '80%', '-1GB', '1e3MB', 'lots', '', '8GB of it'])('%j is not a size', (text) => {
    expect(parseSize(text)).toBeNull()
  })

  test('are written with a unit', () => {
    expect([12 * GIB, 1.25 * GIB, 512 * 2 ** 20].map(describeSize)).toEqual(['12 GiB', '1.3 GiB', '512 MiB'])
  })
})

describe('the settings', () => {
  const machine: Machine = { memoryBytes: 24 * GIB, memoryOf: 'machine', processors: 8 }

  test('are half of the memory and all processors of the machine if nothing is configured', () => {
    expect(engineSettings({}, machine)).toEqual({
      memoryLimit: '12288MiB',
      memoryFrom: 'half of the 24 GiB of this machine',
      threads: 8,
    })
  })

  test('state that it was the cgroup, and use fewer threads if each would have too little memory', () => {
    const small: Machine = { memoryBytes: GIB, memoryOf: 'cgroup', processors: 64 }
    expect(engineSettings({}, small)).toEqual({
      memoryLimit: '512MiB',
      memoryFrom: 'half of the 1 GiB that the cgroup of this process allows',
      threads: 2,
    })
  })

  test('are what the configuration states', () => {
    expect(engineSettings({ memory: '2GiB', threads: 16 }, machine)).toEqual({
      memoryLimit: '2048MiB',
      memoryFrom: 'engine.memory: 2GiB in the configuration',
      threads: 16,
    })
  })

  test('state that the console’s own limit applies, and not a share of the machine', () => {
    expect(limited(engineSettings({}, machine))).toMatchObject({
      memoryLimit: '1335MiB',
      memoryFrom: 'the most that the console of the page may use',
    })
    const small = engineSettings({ memory: '512MiB' }, machine)
    expect(limited(small)).toEqual(small)
  })

  test('give half to a reader, and exactly its limit to one that has one', () => {
    const engine = engineSettings({ memory: '2GiB', threads: 3 }, machine)
    expect(readerSettings(engine)).toEqual({
      memoryLimit: '1024MiB',
      memoryFrom: 'half, for a reader, of 2 GiB: engine.memory: 2GiB in the configuration',
      threads: 3,
    })
    expect(readerSettings(engine, '300MB')).toEqual({
      memoryLimit: '300MB',
      memoryFrom: 'what a view of the page may use',
      threads: 3,
    })
    expect(queryTooLarge(readerSettings(engine, '300MB')).details).toMatchObject({
      expected: expect.stringMatching(/: what a view of the page may use$/),
      action: expect.stringMatching(/use the CSV of the view, or the console/),
    })
  })
})

describe('the configuration of the engine', () => {
  const read = (text: string) => {
    const file = join(temporaryFolder(), 'tieout.yaml')
    writeFileSync(file, text)
    return () => readConfig(file, [])
  }
  const details = (text: string): unknown => {
    try {
      read(text)()
      return null
    } catch (error) {
      return { message: (error as Error).message, ...(error as { details: object }).details }
    }
  }

  test('is read', () => {
    expect(read('engine: { memory: 8GB, threads: 4 }')()?.engine).toEqual({ memory: '8GB', threads: 4 })
    expect(read('engine:\n')()?.engine).toEqual({})
    expect(read('accounts:\n')()?.engine).toEqual({})
  })

  test.each(['8', '8000000000', 'lots', '8G', '50%', '-1GB', '63MB', 'true'])(
    'refuses memory: %s',
    (value) => {
      expect(details(`engine:\n  memory: ${value}\n`)).toMatchObject({
        message: 'The configuration has a bad value at engine.memory.',
        where: expect.stringMatching(/tieout\.yaml:2$/),
        expected: 'a size with its unit, at least 64MB, such as 8GB, 512MB or 2GiB',
      })
    },
  )

  test.each(['0', '-1', '1.5', '"4"', '1025', 'many'])('refuses threads: %s', (value) => {
    expect(details(`engine:\n  threads: ${value}\n`)).toMatchObject({
      message: 'The configuration has a bad value at engine.threads.',
      where: expect.stringMatching(/tieout\.yaml:2$/),
      expected: 'a whole number of threads, from 1 to 1024',
    })
  })

  test('names the nearest key for an unknown one', () => {
    expect(details('engine:\n  memroy: 8GB\n')).toMatchObject({
      message: 'The configuration has an unknown key: engine.memroy.',
      expected: 'one of memory, threads, clickhouse; the nearest is memory',
    })
  })

  test('in the example of `init` changes nothing, and the values in its comment are valid', () => {
    const example = exampleConfig('https://api.example.com', 'generic or us')
    expect(read(example)()?.engine).toEqual({})
    const shown = example.replace('# engine:', 'engine:').replace(/# {3}(memory|threads):/g, '  $1:')
    expect(read(shown)()?.engine).toEqual({ memory: '8GB', threads: 4 })
  })
})

/** Tax records of the account `main`, as ready rows: so many that they do not fit into a small memory. */
const records = (rows: number): string => `
  insert into landing.main.tax_records
  select 'main', 'SPOT', 1, cast(n as integer), cast(1000000 + n as varchar), 'C' || n % 20, 'TRANSFER_IN', 1, 0, 1 + n // 20,
    timestamptz '2026-01-01 00:00:00+00' + to_milliseconds(n * 1000), null
  from range(${rows}) as all_rows(n)`

describe('a database', () => {
  test('runs with the settings that it was given', async () => {
    const books = await TestBooks.open({ memoryLimit: '333MiB', threads: 1 })
    onTestFinished(() => books.close())
    const reader = await books.landing.connection.runAndReadAll(
      "select current_setting('memory_limit'), current_setting('threads')",
    )
    expect(reader.getRowsJson()).toEqual([['333.0 MiB', '1']])
    expect(books.landing.engine).toEqual({
      memoryLimit: '333MiB',
      memoryFrom: 'as set by the caller',
      threads: 1,
    })
  })

  test('of a reader, and one beside it, run with the reader’s settings', async () => {
    const engine = engineSettings({ memory: '800MiB', threads: 3 })
    const dir = await publish([])
    truncateSync(join(dir, 'ledger.duckdb'), LARGE)
    const ledger = await openLedger(dir, { engine })
    onTestFinished(() => ledger.close())
    for (const reader of [ledger, await ledger.scratch(async () => undefined)])
      expect(
        await reader.query("select current_setting('memory_limit'), current_setting('threads')"),
      ).toEqual([['400.0 MiB', 3]])
  })

  test('of a reader of small books uses one thread, for a user’s query as many as are configured', async () => {
    const engine = engineSettings({ memory: '800MiB', threads: 3 })
    const dir = await publish([])
    const threads = async (sealed: boolean): Promise<unknown> => {
      const ledger = await openLedger(dir, { engine, sealed })
      onTestFinished(() => ledger.close())
      return (await ledger.query("select current_setting('threads')"))[0]?.[0]
    }
    expect([await threads(false), await threads(true)]).toEqual([1, 3])
  })
})

describe('a build without enough memory', () => {
  test('states how much there was, leaves only the published ledger, and succeeds with more', async () => {
    const books = await TestBooks.open({
      memoryLimit: '48MB',
      memoryFrom: 'engine.memory: 48MB in the configuration',
      threads: 2,
      // One of those that need most: it does not fit into twice as much either.
      only: ['tax_records', 'staging.nearest_transfers'],
    })
    onTestFinished(() => books.close())
    // What the landing itself has spilled goes when its instance is closed.
    const unfinished = (): string[] =>
      readdirSync(join(books.dir, 'tmp')).filter((name) => !name.startsWith('duckdb_temp_storage_'))
    await books.build()
    const before = readFileSync(join(books.dir, 'ledger.duckdb'))
    await books.sql(records(200_000))
    await books.insert('pages', { page_id: '1', account: 'main', feed: 'tax.records', partition: 'SPOT' })
    const failure: unknown = await books.build().catch((error: unknown) => error)
    expect(failure).toMatchObject({
      name: 'OutOfMemory',
      exitCode: 5,
      message: 'The build ran out of memory; the published ledger is unchanged.',
      details: {
        where: expect.any(String),
        expected: 'work within 45.8 MiB of memory: engine.memory: 48MB in the configuration',
        found: expect.stringMatching(/^Out of Memory Error: /),
        action: expect.stringContaining('Raise engine.memory in tieout.yaml'),
      },
    })
    expect(readFileSync(join(books.dir, 'ledger.duckdb')).equals(before)).toBe(true)
    expect(unfinished()).toEqual([])
    await books.sql("set memory_limit = '1GB'")
    expect((await books.build({}, { publishAnyway: true })).published).toBe(true)
    expect(await books.query('select count(*) from tax_records')).toEqual([['200000']])
    expect(unfinished()).toEqual([])
  }, 300_000)
})

describe('a command without enough memory', () => {
  let books = ''

  beforeAll(async () => {
    books = mkdtempSync(join(tmpdir(), 'tieout-engine-'))
    expect((await command(['build', '--dir', books])).code).toBe(0)
    const landing = await openLanding(books, { records: landingRecords, feeds: landingFeeds })
    await landing.connection.run(records(200_000))
    await landing.connection.run('update landing.main.state set row_total = row_total + 200000')
    await landing.close()
    writeFileSync(join(books, 'tieout.yaml'), 'engine: { memory: 64MB, threads: 2 }\n')
  }, 300_000)
  afterAll(() => rmSync(books, { recursive: true, force: true }))

  test('that builds ends with 5, names the key, and the published ledger stays', async () => {
    const before = readFileSync(join(books, 'ledger.duckdb'))
    const { code, stderr } = await tieout(['build', '--dir', books])
    expect(code).toBe(5)
    expect(stderr).toContain('The build ran out of memory; the published ledger is unchanged.')
    expect(stderr).toContain('work within 61 MiB of memory: engine.memory: 64MB in the configuration')
    expect(stderr).toContain('Raise engine.memory in tieout.yaml (`engine: { memory: 8GB }`)')
    expect(stderr).not.toMatch(/\n\s+at /)
    expect(readFileSync(join(books, 'ledger.duckdb')).equals(before)).toBe(true)
    expect(readdirSync(join(books, 'tmp'))).toEqual([])
  }, 120_000)

  test('that queries ends with 2, and names the key or the option that limited it', async () => {
    const query = 'select list(i) from range(50000000) as r(i)'
    const configured = await tieout(['sql', query, '--dir', books])
    expect(configured.code).toBe(2)
    expect(configured.stderr).toContain('The query needs more memory than it may use.')
    expect(configured.stderr).toContain('within 61 MiB of memory: engine.memory: 64MB in the configuration')
    expect(configured.stderr).toContain('Raise engine.memory in tieout.yaml')
    const limited = await command(['sql', query, '--memory', '100MB', '--dir', books])
    expect(limited.code).toBe(2)
    expect(limited.stderr).toContain('work within 95.4 MiB of memory: --memory')
    expect(limited.stderr).toContain('Or allow more with --memory.')
  }, 120_000)
})

describe('the files into which a reader spills', () => {
  const tmpOf = (dir: string): string[] => readdirSync(join(dir, 'tmp'))

  async function books(): Promise<string> {
    const dir = await publish([])
    mkdirSync(join(dir, 'tmp'))
    return dir
  }

  test('are in the folder tmp of the books, and are removed with the reader', async () => {
    const dir = await books()
    const ledger = await openLedger(dir, { memoryLimit: '60MB' })
    const folder = join(dir, 'tmp', tmpOf(dir)[0] ?? '')
    const { rows } = await ledger.stream(
      'select sha256(cast(i as varchar)) as hash from range(2000000) as r(i) order by hash',
    )
    for await (const _ of rows) {
      expect(readdirSync(folder)).not.toEqual([])
      break
    }
    ledger.close()
    expect(tmpOf(dir)).toEqual([])
  }, 120_000)

  test('are in the system’s folder if the books have none', async () => {
    const dir = await publish([])
    const ledger = await openLedger(dir)
    expect(readdirSync(dir)).toEqual(['ledger.duckdb'])
    const [[folder]] = (await ledger.query("select current_setting('temp_directory')")) as [[string]]
    expect(existsSync(folder)).toBe(true)
    ledger.close()
    expect(existsSync(folder)).toBe(false)
  })

  test('are removed by the next run if their reader was killed, and stay while the reader is alive', async () => {
    const dir = temporaryFolder()
    cpSync(await books(), dir, { recursive: true })
    mkdirSync(join(dir, 'journal'))
    const killed = spawn('sleep', ['60'])
    await once(killed, 'spawn')
    const leave = (host: string, pid: number | undefined): string => {
      const name = `query-${host}-${pid}-abcdef`
      mkdirSync(join(dir, 'tmp', name))
      writeFileSync(join(dir, 'tmp', name, 'duckdb_temp_storage.tmp'), 'spilled')
      return name
    }
    const [dead, own, elsewhere] = [
      leave(hostname(), killed.pid),
      leave(hostname(), process.pid),
      leave('another-host', 1),
    ]
    writeFileSync(join(dir, 'tmp', 'ledger-1-1.staging.duckdb'), 'left by a build that was killed')
    const run = async (): Promise<void> => {
      await (await openBooks(dir, { clock: systemClock, command: 'test' })).close()
    }
    await run()
    expect(tmpOf(dir).sort()).toEqual([elsewhere, dead, own].sort())
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    await run()
    expect(tmpOf(dir).sort()).toEqual([elsewhere, own].sort())
  })
})
