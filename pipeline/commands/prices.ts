// The command that fetches the prices the books need, without requesting any account data from the venue.
import type { Argv } from 'yargs'
import { closing } from '../../models/closing.ts'
import { UsageError } from '../../models/error.ts'
import { openBooksFor } from '../books/books.ts'
import { buildBooks } from '../books/night.ts'
import { optionalConfig } from '../config/context.ts'
import { buildJson, describeBreaks, NOT_PUBLISHED } from '../reports/summary.ts'
import { defineCommand, jsonOption } from './command.ts'
import { tellPrices } from './fetch.ts'

export const pricesCommand = defineCommand({
  example: ['$0 prices fetch', 'get what the books need from the configured sources, and publish'],
  options: (
    parser,
  ): Argv<{
    readonly action?: string | undefined
    readonly build: boolean
    readonly json: boolean
  }> =>
    parser
      .positional('action', { choices: ['fetch'] as const, describe: 'Fetch from the configured sources' })
      .option('build', {
        type: 'boolean',
        default: true,
        describe: 'Build and publish afterwards; --no-build leaves it to a later `build`',
      })
      .option('json', jsonOption),
  run: async (context, args) => {
    const config = optionalConfig(context)
    const { candles, ecb } = config.prices.sources
    if (candles === undefined && ecb === undefined)
      throw new UsageError('No price source is configured.', {
        where: context.configFile,
        expected: 'prices: sources: with candles, ecb or both',
        action: 'Add a source; `tieout init` writes an example of both, with comments. Nothing was sent.',
      })
    const books = await openBooksFor(context, config, { command: 'prices' })
    return await closing(books, async () => {
      const result = await buildBooks(context, config, books, {
        publishAnyway: false,
        fetchesPrices: true,
        ...(args.build ? {} : { publish: false, only: ['staging.fetched'] }),
      })
      tellPrices(context, result.prices)
      const pending = (result.prices?.problems.length ?? 0) > 0 ? 5 : 0
      if (args.json)
        context.print(JSON.stringify({ ...result.prices, ...(args.build ? buildJson(result) : {}) }, null, 2))
      if (!args.build) return pending
      if (!args.json) context.advise(describeBreaks(result))
      if (result.published) return pending
      context.tell(NOT_PUBLISHED)
      return 1
    })
  },
})
