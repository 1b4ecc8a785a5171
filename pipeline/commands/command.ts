// A command as yargs takes it, with the global options typed and its exit code handed back as a value.
import type { Argv, CommandModule } from 'yargs'
import type { ExitCode } from '../../models/error.ts'
import { type CommandContext, createContext, type GlobalArguments } from '../config/context.ts'

interface Declaration<Options> {
  readonly command: string
  readonly describe: string
  readonly example: readonly [string, string]
  readonly options: (parser: Argv) => Argv<Options>
  readonly run: (context: CommandContext, args: Options & GlobalArguments) => Promise<ExitCode>
}

export function defineCommand<Options>(declaration: Declaration<Options>): CommandModule {
  return {
    command: declaration.command,
    describe: declaration.describe,
    builder: (parser) => declaration.options(parser).example(...declaration.example),
    handler: async (args) => {
      const given = args as unknown as Options & GlobalArguments
      process.exitCode = await declaration.run(createContext(given), given)
    },
  }
}

/** Where several exit codes apply, the one that counts. Contract, "Exit codes". */
export function worst(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [1, 2, 4, 5, 3]
  return order.find((code) => codes.includes(code)) ?? 0
}
