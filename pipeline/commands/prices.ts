// The command that fills the prices which the books need, without asking the venue for anything of the accounts.
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
  example: ['$0 prices fetch', 'ask the configured sources for what the books need, and publish'],
  options: (
    parser,
  ): Argv<{
    readonly action?: string | undefined
    readonly build: boolean
    readonly json: boolean
  }> =>
    parser
      .positional('action', { choices: ['fetch'] as const, describe: 'Ask the sources of the configuration' })
      .option('build', {
        type: 'boolean',
        default: true,
        describe: 'Build and publish too; --no-build leaves it to a later `build`',
      })
      .option('json', jsonOption),
  run: async (context, args) => {
    const config = optionalConfig(context)
    const { candles, ecb } = config.prices.sources
    if (candles === undefined && ecb === undefined)
      throw new UsageError('No source of prices is configured.', {
        where: context.configFile,
        expected: 'prices: sources: with candles, ecb or both',
        action: '`tieout init` writes both with their comments; nothing was sent.',
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
      if (!args.json) context.print(describeBreaks(result))
      if (result.published) return pending
      context.tell(NOT_PUBLISHED)
      return 1
    })
  },
})
