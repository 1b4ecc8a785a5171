// Answers a question in the user's own SQL from the state published on a ClickHouse server, in the same
// output formats as from the published file.
import { closing } from '../../models/closing.ts'
import { Question as Asked } from '../clickhouse/query.ts'
import type { ClickHouseSettings } from '../clickhouse/settings.ts'
import type { Pieces } from '../output/deliver.ts'
import { printed } from './answer.ts'
import { type Answer, mustAsk } from './question.ts'

export const answerThere =
  (settings: ClickHouseSettings): Answer =>
  async (question, { clock, signal }, deliver) => {
    const { query, format, timeoutMs } = question
    mustAsk(query, 'one reading statement, in the SQL of ClickHouse')
    const asked = await Asked.to(settings, { timeoutMs, clock, ...(signal === undefined ? {} : { signal }) })
    await closing(asked, async () => {
      const pieces: Pieces =
        format === 'parquet' ? asked.parquet(query) : printed(await asked.rows(query), format, question.width)
      await deliver(pieces)
    })
  }
