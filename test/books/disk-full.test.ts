// A real file system that is full, or may not be written: each step of a command meets it, says so by name, leaves the
// last publication in place, and goes on once there is space. The file system is a tmpfs in a mount namespace of its own.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ledgerHash } from '../../pipeline/ledger/hash.ts'
import { compileForChild } from '../support/child.ts'
import { command } from '../support/in-process.ts'
import { problemsOf } from '../support/whole-books.ts'

/** A user namespace where the system allows it, else the rights that this process has. */
const NAMESPACE = [['-rm'], ['-m']].find(
  ([flags = '']) => spawnSync('unshare', [flags, 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0,
)
if (NAMESPACE === undefined)
  process.stderr.write(
    'NOT TESTED: full and read-only disks, since this system mounts nothing for this user.\n',
  )

let program = ''
/**
 * Runs one command after another in one process: starting a process for each would take as long as most of the commands. A line
 * has the path of the outputs without their ending, and the words; each but the last ends with a unit separator. The answer is the
 * exit code.
 */
const COMMANDS = (commandLine: string): string => `
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { runCommandLine } from ${JSON.stringify(commandLine)}

const stop = new AbortController().signal
for await (const line of createInterface({ input: process.stdin })) {
  const [out, ...words] = line.split('\\x1f')
  const pieces = { out: [], err: [] }
  const into = (name) => new Writable({ write: (piece, _, done) => { pieces[name].push(piece); done() } })
  const code = await runCommandLine(words, { stdout: into('out'), stderr: into('err'), stop: () => stop })
  for (const name of ['out', 'err']) writeFileSync(out + '.' + name, Buffer.concat(pieces[name]))
  console.log(code)
}
`

/** Books with an imported file, published; each disk gets a copy. */
let published = ''

beforeAll(async () => {
  published = mkdtempSync(join(tmpdir(), 'tieout-disk-'))
  program = join(mkdtempSync(join(tmpdir(), 'tieout-commands-')), 'commands.mjs')
  writeFileSync(
    program,
    COMMANDS(pathToFileURL(await compileForChild('pipeline/commands/command-line.ts')).href),
  )
  expect((await command(['import', 'trades', trades('first', 5), '--dir', published])).code).toBe(0)
}, 300_000)
afterAll(async () => {
  await shell?.end()
  for (const folder of [published, ...folders]) rmSync(folder, { recursive: true, force: true })
})

const HEADER = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'

/** Rows of a file to import; `noise` makes each row unlike the others, so that it cannot be compressed. */
function trades(name: string, rows: number, noise = false): string {
  const file = join(mkdtempSync(join(tmpdir(), 'tieout-trades-')), `${name}.csv`)
  let state = 7
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return state
  }
  const lines = Array.from({ length: rows }, (_, index) => {
    const id = noise ? `${name}-${next()}-${next()}-${next()}-${index}` : `${name}-${index}`
    return `${id},2026-03-01T10:00:00Z,elsewhere,buy,BTC,0.01,USDT,600,0,USDT`
  })
  writeFileSync(file, `${[HEADER, ...lines].join('\n')}\n`)
  return file
}

interface Step {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Of the published file, after the step. */
  readonly ledger: string
}

/**
 * `fill KIB` leaves so much free; `tieout NAME args…` runs a command on the books; `published NAME` notes what the ledger is;
 * `free` gives the space back.
 */
const FUNCTIONS = `
set -u
fill() { left=$(df --output=avail -k "$DISK" | tail -1); fallocate -l "$((left - $1))KiB" "$DISK/filler"; }
free() { rm -f "$DISK/filler"; }
coproc COMMANDS { exec "$NODE" "$PROGRAM"; }
tieout() {
  name=$1; shift
  printf '%s\\037' "$OUT/$name" "$@" --dir >&"\${COMMANDS[1]}"
  echo "$DISK/books" >&"\${COMMANDS[1]}"
  read -r code <&"\${COMMANDS[0]}"
  echo "$code" >"$OUT/$name.code"
  published $name
}
published() { sha256sum <"$DISK/books/ledger.duckdb" >"$OUT/$1.ledger"; }
end() { pid=$COMMANDS_PID; eval "exec \${COMMANDS[1]}>&-"; wait "$pid"; }
`

/** Before the steps and after them. */
const BEGIN = 'mount -t tmpfs -o size=96m none "$DISK"\ncp -r "$BOOKS" "$DISK/books"'
const END = 'cp -r "$DISK/books" "$OUT/books"\numount -l "$DISK"\necho'

interface SmallDisk {
  step(name: string): Step
  ledgerAt(name: string): string
  readonly books: string
}

interface Shell {
  /** Runs the steps between mounting a disk and copying its books. */
  run(out: string, disk: string, steps: string): Promise<void>
  end(): Promise<void>
}

/** One for all tests, with the process that runs their commands. */
let shell: Shell | undefined

function startShell(): Shell {
  const environment = { BOOKS: published, PROGRAM: program, NODE: process.execPath, NO_COLOR: '1' }
  const child = spawn('unshare', [...(NAMESPACE ?? []), 'bash'], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  child.stdin.write(FUNCTIONS)
  return {
    run: async (out, disk, steps) => {
      const file = join(out, 'steps')
      writeFileSync(file, `${BEGIN}\n${steps}\n${END}\n`)
      child.stdin.write(`DISK='${disk}' OUT='${out}'; source '${file}' </dev/null\n`)
      if ((await lines.next()).done === true) throw new Error('The shell ended.')
    },
    end: async () => {
      child.stdin.end('end\n')
      await ended
    },
  }
}

const folders: string[] = []

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-disk-'))
  folders.push(folder)
  return folder
}

/** Runs the steps on a copy of the published books on a disk of 96 MiB; gives what each named step came to, and the books. */
async function onSmallDisk(script: string): Promise<SmallDisk> {
  const [out, disk] = [newFolder(), newFolder()]
  shell ??= startShell()
  await shell.run(out, disk, script)
  const read = (name: string): string => readFileSync(join(out, name), 'utf8')
  const ledgerAt = (name: string): string => read(`${name}.ledger`)
  const step = (name: string): Step => ({
    code: Number(read(`${name}.code`)),
    stdout: read(`${name}.out`),
    stderr: read(`${name}.err`).replaceAll(disk, 'DISK'),
    ledger: ledgerAt(name),
  })
  return { step, ledgerAt, books: join(out, 'books') }
}

/** Steps whose outcome two tests read: they run for the first that asks. */
function runOnce(script: () => string): () => Promise<SmallDisk> {
  let run: Promise<SmallDisk> | undefined
  return () => {
    run ??= onSmallDisk(script())
    return run
  }
}

const SAID = `$(sed -n 's/.*expected: about \\([0-9]*\\) MiB free.*/\\1/p' "$OUT/full.err")`
const NEEDED = `needed=${SAID}; echo "$needed" >"$OUT/needed"`
const ENOUGH = 'fill $((needed * 1024)); tieout enough build'

/** Books into which a file is imported once there is space, and what is then written out of them. */
const imported = runOnce(() => {
  const more = trades('more', 4_000, true)
  return `published before; fill 48; tieout full import trades ${more}; free; tieout again import trades ${more}
    mkdir "$DISK/out"; fill 64
    tieout parquet export parquet --out "$DISK/out/ledger"
    tieout csv sql 'from imported_trades' --out "$DISK/out/trades.csv"
    ls -A "$DISK/out" "$DISK/books/tmp" >"$OUT/left"
    free; tieout exported export parquet --out "$DISK/out/ledger"`
})

const built = runOnce(
  () =>
    `published before; fill 2048; tieout full build; ls "$DISK/books/tmp" >"$OUT/left"; tieout read report gains --format csv; free
    ${NEEDED}; fill $((needed * 512)); tieout half build; free; ${ENOUGH}`,
)

const rebuilt = runOnce(
  () =>
    `fill 12; tieout block rebuild; free; fill 16; tieout tables rebuild; free
    sha256sum <"$DISK/books/landing.duckdb" >"$OUT/1"; fill 200; tieout full rebuild; sha256sum <"$DISK/books/landing.duckdb" >"$OUT/2"; cmp "$OUT/1" "$OUT/2"; echo $? >"$OUT/same.code"; : >"$OUT/same.out"; : >"$OUT/same.err"; : >"$OUT/same.ledger"; free; tieout again rebuild`,
)

describe.skipIf(NAMESPACE === undefined)('a full disk', () => {
  test('the journal states from which frame on it could not be written; once there is space, the import succeeds', async () => {
    const { step, ledgerAt, books } = await imported()
    const full = step('full')
    expect(full.code).toBe(5)
    expect(full.stderr).toMatch(
      /The journal could not be written from frame \d+ on\.\n {2}where: {4}DISK\/books\/journal\/000001\.journal\n {2}expected: free space on this disk\n {2}found: {4}ENOSPC\n {2}next: {5}Free space on this disk/,
    )
    expect(full.ledger).toBe(ledgerAt('before'))
    expect(step('again').code).toBe(0)
    expect(step('again').stdout).toContain('Imported 4000 rows')
    expect(await problemsOf(books)).toEqual([])
    expect(await ledgerHash(join(books, 'ledger.duckdb'))).toMatch(/^[0-9a-f]{64}$/)
  }, 300_000)

  test('what is journaled and cannot land is named, and lands in the next run', async () => {
    const more = trades('more', 6_000)
    const { step, ledgerAt, books } = await onSmallDisk(
      `published before; fill 400; tieout full import trades ${more}; free; tieout again build; tieout known import trades ${more} --no-build`,
    )
    const full = step('full')
    expect(full.code).toBe(5)
    expect(full.stderr).toContain('of the journal could not be landed; none of them has landed.')
    expect(full.stderr).toContain('where:    DISK/books/landing.duckdb')
    expect(full.stderr).toMatch(/found: {4}a disk with \d MiB free/)
    expect(full.ledger).toBe(ledgerAt('before'))
    expect(step('again').code).toBe(0)
    expect(step('again').stderr).toContain('Landing 1 journaled frame that had not landed')
    expect(step('known').stdout).toContain('Nothing new')
    expect(await problemsOf(books)).toEqual([])
  }, 300_000)

  test('a build without space names its folder and what it needs, and leaves only the previous ledger', async () => {
    const { step, ledgerAt, books } = await built()
    const full = step('full')
    expect(full.code).toBe(5)
    expect(full.stderr).toContain(
      'There was not enough disk space to build the ledger; the published one is unchanged.',
    )
    expect(full.stderr).toContain('where:    DISK/books/tmp')
    expect(full.stderr).toMatch(/expected: about \d+ MiB free for a new ledger and its intermediate steps/)
    expect(full.stderr).toMatch(/found: {4}\d+ MiB free/)
    expect(full.stderr).not.toMatch(/\n\s+at /)
    expect(full.ledger).toBe(ledgerAt('before'))
    expect(step('read').code).toBe(0)
    expect(readFileSync(join(books, '..', 'left'), 'utf8')).toBe('')
    expect(step('enough').code).toBe(0)
  }, 300_000)

  test('a build with as much space as it was said to need succeeds, with half of it fails', async () => {
    const { step, books } = await built()
    expect(Number(readFileSync(join(books, '..', 'needed'), 'utf8'))).toBeGreaterThan(0)
    expect([step('full').code, step('half').code, step('enough').code]).toEqual([5, 5, 0])

    const fresh = await onSmallDisk(
      `rm "$DISK/books/ledger.duckdb"; touch "$OUT/full.ledger"; fill 2048; tieout full build; free; ${NEEDED}; ${ENOUGH}`,
    )
    expect([fresh.step('full').code, fresh.step('enough').code]).toEqual([5, 0])
  }, 300_000)

  test('a rebuild without space leaves landing unchanged', async () => {
    const { step, books } = await rebuilt()
    expect(step('full').code).toBe(5)
    expect(step('full').stderr).toContain('DISK/books/tmp')
    expect(step('full').stderr).not.toContain('unexpected')
    expect(step('same').code).toBe(0)
    expect(step('again').code).toBe(0)
    expect(await problemsOf(books)).toEqual([])
  }, 300_000)

  test('an export and a query state where they could not write, and leave nothing there', async () => {
    const { step, books } = await imported()
    expect(step('csv').code).toBe(2)
    expect(step('csv').stderr).toMatch(
      /^tieout: The output cannot be written to this path\.\n {2}where: {4}DISK\/out\/trades\.csv\n/,
    )
    expect(step('csv').stderr).toContain('found:    ENOSPC')
    expect(step('parquet').code).toBe(2)
    expect(step('parquet').stderr).toBe(
      'tieout: The output folder cannot be written.\n  where:    DISK/out/ledger\n' +
        '  expected: an existing, writable parent folder\n  found:    No space left on device\n' +
        '  next:     Check the path, its permissions and the free space on its disk.\n',
    )
    expect(readFileSync(join(books, '..', 'left'), 'utf8')).not.toMatch(/\.tmp|ledger|trades|query-/)
    expect(step('exported').code).toBe(0)
  }, 300_000)

  test('a rebuild that has no space for its first block, or for its tables, is not treated as a rebuild of damaged data', async () => {
    const { step } = await rebuilt()
    for (const name of ['block', 'tables']) {
      expect(step(name).code).toBe(5)
      expect(step(name).stderr).toMatch(/^tieout: The landing database could not be opened\.$/m)
      expect(step(name).stderr).toMatch(/^ {2}next: {5}Free space on this disk, then run again/m)
    }
    expect(step('again').code).toBe(0)
  }, 300_000)
})

describe.skipIf(NAMESPACE === undefined)('a folder that is not writable', () => {
  test('books: a command that writes is refused, naming the folder; one that reads works', async () => {
    const { step } = await onSmallDisk(
      'mount -o remount,ro "$DISK"; tieout build build; tieout read report balances; tieout status status; mount -o remount,rw "$DISK"; tieout again build',
    )
    expect(step('build').code).toBe(2)
    expect(step('build').stderr).toMatch(
      /refused to create a file\.\n {2}where: {4}DISK\/books\/lock.*\n {2}expected: a writable file system\n {2}found: {4}a file system that can only be read \(EROFS\)\n {2}next: {5}Make the file system writable/,
    )
    expect(step('read').code).toBe(0)
    expect(step('status').code).toBe(0)
    expect(step('again').code).toBe(0)
  }, 300_000)

  test('filings: a report to be frozen is refused, naming the folder that cannot be created', async () => {
    const { step } = await onSmallDisk(
      'mount -o remount,ro "$DISK"; tieout full report balances --freeze filed; mount -o remount,rw "$DISK"; tieout again report balances --freeze filed',
    )
    expect(step('full').code).toBe(2)
    expect(step('full').stderr).toBe(
      'tieout: The disk refused to create a folder.\n  where:    DISK/books/filings\n' +
        '  expected: a writable file system\n' +
        '  found:    a file system that can only be read (EROFS)\n' +
        '  next:     Make the file system writable, or name another folder with --dir.\n',
    )
    expect(step('again').code).toBe(0)
  }, 300_000)

  test('journal: named before anything is requested from the venue or read from the file', async () => {
    const more = trades('more', 3)
    const { step } = await onSmallDisk(
      `J="$DISK/books/journal"; mount --bind "$J" "$J"; mount -o remount,bind,ro "$J"; tieout full import trades ${more}; umount "$J"; tieout again import trades ${more} --no-build`,
    )
    expect(step('full').code).toBe(2)
    expect(step('full').stderr).toContain('where:    DISK/books/journal/000001.journal')
    expect(step('full').stderr).toContain('found:    a file system that can only be read (EROFS)')
    expect(step('again').stdout).toContain('Imported 3 rows')
  }, 300_000)

  test('a ledger that cannot be replaced stays, and the build that should have replaced it is removed', async () => {
    const more = trades('more', 3)
    const { step, ledgerAt } = await onSmallDisk(
      `L="$DISK/books/ledger.duckdb"; published before; mount --bind "$L" "$L"; tieout full import trades ${more}; ls "$DISK/books/tmp" >"$OUT/left"; umount "$L"; tieout again build`,
    )
    expect(step('full').code).toBe(1)
    expect(step('full').stderr).toMatch(
      /The disk refused to rename a file\.\n {2}where: {4}DISK\/books\/.*\n {2}expected: a file or folder that can be read and written\n {2}found: {4}EBUSY/,
    )
    expect(step('full').ledger).toBe(ledgerAt('before'))
    expect(step('again').code).toBe(0)
    expect(step('again').ledger).not.toBe(ledgerAt('before'))
  }, 300_000)

  test('output of a report: refused, naming the path', async () => {
    const { step } = await onSmallDisk(
      'mkdir "$DISK/out"; mount -t tmpfs -o ro none "$DISK/out"; tieout full report balances --format csv --out "$DISK/out/balances.csv"',
    )
    expect(step('full').code).toBe(2)
    expect(step('full').stderr).toContain('The output cannot be written to this path.')
    expect(step('full').stderr).toContain('DISK/out/balances.csv')
    expect(step('full').stderr).toContain('EROFS')
  }, 300_000)
})
