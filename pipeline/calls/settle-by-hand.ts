// The writes of the books: lists them, and records the outcome of a write that only its owner could find out.

import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { mustBeBooks, openBooks, readLanding } from '../books/books.ts'
import { readWrites, settle, unsettledWrites, type Write } from '../books/writes.ts'
import { type CommandContext, optionalConfig } from '../config/context.ts'
import { engineSettings } from '../engine/settings.ts'
import { printTable } from '../output/table.ts'

/** Prints every write, oldest first. Throws LandingError while another process writes the books. */
export async function listWrites(context: CommandContext, json: boolean): Promise<void> {
  const writes = await readAll(context)
  if (json) return context.print(JSON.stringify(writes.map(forScript), null, 2))
  if (writes.length === 0) return context.print('Nothing was changed at the venue from these books.')
  const columns = ['write', 'at', 'account', 'endpoint', 'outcome', 'code', 'message'].map((name) => ({
    name,
  }))
  const rows = writes.map((write) => {
    const { seq, at, account, endpoint, outcome, code, message } = forScript(write)
    return [String(seq), at, account, endpoint, outcome ?? 'not known', code ?? '', message ?? '']
  })
  // As a column it would be too wide for a terminal, and an id is useful only in full.
  const sent = writes.map((write) => [String(write.seq), sentBy(write)])
  context.print(
    [printTable(columns, rows), '', printTable([{ name: 'write' }, { name: 'sent' }], sent)].join('\n'),
  )
}

/** What was sent, field by field. */
function sentBy({ body }: Write): string {
  if (body === null) return 'erased'
  const fields = body === '' ? {} : (JSON.parse(body) as Record<string, unknown>)
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ')
}

async function readAll(context: CommandContext): Promise<Write[]> {
  mustBeBooks(context.dir, 'needed')
  const landing = await readLanding(context.dir, engineSettings(optionalConfig(context).engine))
  if (landing === null) return []
  return await closing(landing, () => readWrites(landing.connection))
}

const forScript = ({ intendedAt, ...write }: Write) => ({ ...write, at: new Date(intendedAt).toISOString() })

/**
 * Journals the outcome of a write as stated by its owner. Throws a UsageError for a write that is settled or was never
 * sent.
 */
export async function settleByHand(
  context: CommandContext,
  seq: number,
  outcome: 'done' | 'refused',
): Promise<void> {
  const { clock, tell } = context
  const engine = engineSettings(optionalConfig(context).engine)
  const books = await openBooks(context.dir, {
    clock,
    command: 'writes',
    existing: 'needed',
    onNote: tell,
    engine,
  })
  await closing(books, async () => {
    const open = await unsettledWrites(books.landing.connection)
    if (!open.some((write) => write.seq === seq))
      throw new UsageError(`Write ${seq} is not open.`, {
        where: '--settle',
        expected:
          open.length === 0
            ? 'an open write (there is none)'
            : `one of ${open.map((write) => write.seq).join(', ')}`,
        action: 'Run `tieout writes` to list them all.',
      })
    await settle(books, clock, context.run, seq, { outcome, code: 'by hand', reason: 'settled by hand' })
    context.print(`Write ${seq} is settled as ${outcome}.`)
  })
}
