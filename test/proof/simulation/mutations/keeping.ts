// Mistakes about journal, landing and what is published of it.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the pieces are source text.
import { of } from './mutation.ts'

const records = 'pipeline/ledger/records.ts'
const transaction = 'pipeline/landing/transaction.ts'
const appender = 'pipeline/journal/appender.ts'
const journal = 'pipeline/journal/journal.ts'

export const keeping = [
  of(
    'frames acknowledged before they are synced',
    appender,
    '      await file.write(bytes, this.size)\n      await file.sync()\n',
    '      await file.write(bytes, this.size)\n',
  ),
  of(
    'folder not synced after a new segment is created',
    appender,
    '      await this.disk.syncDir(this.folder)\n    } catch (error) {',
    '    } catch (error) {',
  ),
  of(
    'appends continue after a failed write',
    appender,
    '        this.failure = failure\n',
    '',
    'write error',
  ),
  of(
    'chain of the journal not checked',
    'pipeline/journal/segment.ts',
    'if (!matches) throw this.brokenChain(seq, offset + PRELUDE_BYTES)',
    '',
    'corruption',
  ),
  of(
    'torn end of the journal left in place',
    journal,
    'if (appends && end.tear !== null) recovered = await moveTear(disk, folder, end.tear, options.clock)',
    '',
  ),
  of(
    'wrong checksum of an empty body',
    'pipeline/journal/layout.ts',
    'return stored.length === 0 ? crc32(salt) : crc32(stored, crc32(salt))',
    'return crc32(stored, crc32(salt))',
    'empty body',
  ),
  of(
    'lock not checked',
    'pipeline/journal/lock.ts',
    'if (holder !== null && (await mayLive(holder))) throw refusal(path, holder)',
    '',
    'second run',
  ),
  of(
    'lock of a dead process respected',
    'pipeline/journal/lock.ts',
    '  if (start === null) return false\n',
    '  if (start === null) return true\n',
  ),
  of(
    'position of landing in the journal not stored',
    transaction,
    'update landing.main.state set landed_seq = $1, chain = $2, row_total = row_total + $3',
    'update landing.main.state set chain = $2, row_total = row_total + $3 where landed_seq > $1',
  ),
  of(
    'position of landing stored outside the transaction',
    transaction,
    "    await this.#run('update landing.main.state set landed_seq = $1,",
    "    await this.#connection.run('commit')\n    await this.#connection.run('begin')\n    await this.#run('update landing.main.state set landed_seq = $1,",
  ),
  of(
    'unfinished windows stored outside the transaction',
    transaction,
    '    let counted = this.#countedRows()\n',
    "    let counted = this.#countedRows()\n    await this.#connection.run('commit')\n    await this.#connection.run('begin')\n",
  ),
  of(
    'finished windows still stored as unfinished',
    transaction,
    'if (before !== undefined) await this.#deleteProgress(before)',
    '',
  ),
  of(
    'a frame landed twice',
    'pipeline/landing/land-journal.ts',
    '        throw notOfThisJournal(`chain ${landed.chain}`, `chain ${frame.chain}`)\n      continue\n',
    '        throw notOfThisJournal(`chain ${landed.chain}`, `chain ${frame.chain}`)\n',
  ),
  of(
    'the end of the journal not landed at the start',
    'pipeline/books/books.ts',
    'if (behind > 0) {',
    'if (behind > 1) {',
  ),
  of(
    'records deduplicated by content',
    records,
    'where repeated.again_account is null\n)`',
    "where repeated.again_account is null\n  qualify row_number() over (partition by ${content.filter((one) => !keys.includes(one)).join(', ')} order by page_id, page_row) = 1\n)`",
    'bursts',
  ),
  of(
    'versions of a record merged into the last one',
    records,
    'as received join repeated on ${isRepeated}\n),',
    "as received join repeated on ${isRepeated}\n  qualify row_number() over (partition by ${keys.join(', ')} order by page_id desc, page_row) = 1\n),",
    'changed records',
  ),
  of(
    'the first version of a record chosen as current',
    records,
    '${newest}last_place desc)',
    '${newest}last_place)',
    'changed records',
  ),
  of(
    'the version changed longest ago chosen as current',
    records,
    ' desc nulls last, `',
    ' nulls last, `',
    'changed records',
  ),
]
