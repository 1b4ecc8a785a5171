// What the journal costs: 1,000 pages of 63 KB appended with 20 in progress at a time, each acknowledged
// after a sync, and read back with every hash checked. The reference is the minimum possible in the same run:
// the same bytes through gzip at level 1 into a plain file with one sync at the end, and out of it again.
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { systemClock } from '../models/clock.ts'
import { openJournal } from '../pipeline/journal/journal.ts'

const PAGES = 1_000
const RECORDS = 395
const UNDER_WAY = 20

interface Measured {
  readonly seconds: number
  /** Length of what was written. */
  readonly stored: number
}

/**
 * Runs it in a temporary folder and prints pages/s, MB/s of bodies and bytes per record beside the reference.
 */
export async function run(): Promise<void> {
  const pages = makePages()
  const bytes = pages.reduce((sum, page) => sum + page.length, 0)
  const dir = await mkdtemp(join(tmpdir(), 'tieout-bench-'))
  try {
    const gzip = { write: await writeGzip(dir, pages), read: await readGzip(dir) }
    const journal = { write: await writeJournal(dir, pages), read: await readJournal(dir, bytes) }
    process.stdout.write(
      `${PAGES} pages, ${Math.round(bytes / PAGES / 1_000)} KB and ${RECORDS} records each\n`,
    )
    print('append', journal.write, gzip.write, bytes)
    print('read', journal.read, gzip.read, bytes)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

function print(name: string, own: Measured, reference: Measured, bytes: number): void {
  const figures = ({ seconds, stored }: Measured): string =>
    [
      `${Math.round(PAGES / seconds)} pages/s`,
      `${Math.round(bytes / 1e6 / seconds)} MB/s`,
      `${(stored / PAGES / RECORDS).toFixed(1)} bytes a record`,
    ].join(', ')
  const speed = (reference.seconds / own.seconds).toFixed(2)
  const size = (own.stored / reference.stored).toFixed(2)
  process.stdout.write(
    `${name.padEnd(7)} journal ${figures(own)}; plain gzip-1 ${figures(reference)}; speed ${speed} x, size ${size} x\n`,
  )
}

async function writeJournal(dir: string, pages: readonly Buffer[]): Promise<Measured> {
  const start = performance.now()
  const journal = await openJournal(dir, { mode: 'append', clock: systemClock })
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < pages.length) {
      const page = next++
      const at = new Date(systemClock.wall()).toISOString()
      const request = { method: 'GET', path: `/api/v3/tax/records?limit=500&cursor=${page}` } as const
      const feed = { account: 'main', feed: 'tax.records', partition: 'SPOT', request, status: 200 } as const
      await journal.append({ kind: 'page', at, run: 'bench', ...feed }, pages[page])
    }
  }
  await Promise.all(Array.from({ length: UNDER_WAY }, worker))
  await journal.close()
  return measured(start, join(dir, 'journal', '000001.journal'))
}

async function readJournal(dir: string, expectedBytes: number): Promise<Measured> {
  const start = performance.now()
  const journal = await openJournal(dir, { mode: 'read', clock: systemClock })
  let bytes = 0
  for await (const { body } of journal.read()) bytes += body?.length ?? 0
  await journal.close()
  if (bytes !== expectedBytes) throw new Error(`read ${bytes} bytes of ${expectedBytes}`)
  return measured(start, join(dir, 'journal', '000001.journal'))
}

async function writeGzip(dir: string, pages: readonly Buffer[]): Promise<Measured> {
  const start = performance.now()
  const path = join(dir, 'plain.gz')
  const gzip = createGzip({ level: 1 })
  const written = pipeline(gzip, createWriteStream(path))
  for (const page of pages) if (!gzip.write(page)) await once(gzip, 'drain')
  gzip.end()
  await written
  const file = await open(path)
  await file.datasync()
  await file.close()
  return measured(start, path)
}

async function readGzip(dir: string): Promise<Measured> {
  const start = performance.now()
  const path = join(dir, 'plain.gz')
  await pipeline(createReadStream(path), createGunzip(), async (bodies) => {
    for await (const body of bodies) void body
  })
  return measured(start, path)
}

async function measured(start: number, path: string): Promise<Measured> {
  return { seconds: (performance.now() - start) / 1_000, stored: (await stat(path)).size }
}

/** Tax records as the venue sends them, from a seed: ids rise, balances follow the amounts. */
function makePages(): Buffer[] {
  let state = 1
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  let id = 1_280_000_000_000_000_000n
  let balance = 5_000_000_000_000n
  const record = (): Record<string, string> => {
    const amount = BigInt(random(2_000_000_000) - 1_000_000_000)
    const fee = -BigInt(random(1_000_000))
    id += BigInt(1 + random(1_000_000_000))
    balance += amount + fee
    return {
      id: String(id),
      coin: ['USDT', 'BTC', 'ETH', 'BGB'][random(4)] ?? '',
      type: ['transaction_in', 'transaction_out', 'transfer_in', 'contract_main_settle_fee'][random(4)] ?? '',
      amount: decimal(amount),
      fee: decimal(fee),
      balance: decimal(balance),
      ts: String(1_767_225_600_000 + random(604_800_000)),
    }
  }
  return Array.from({ length: PAGES }, (_, page) => {
    const data = Array.from({ length: RECORDS }, record)
    return Buffer.from(
      JSON.stringify({ code: '00000', msg: 'success', requestTime: 1_767_830_400_000 + page, data }),
    )
  })
}

function decimal(units: bigint): string {
  const digits = (units < 0n ? -units : units).toString().padStart(9, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -8)}.${digits.slice(-8)}`
}
