// Commands that messages suggest, completed so that they can be pasted: they need the folder of the books and the
// configuration that the command itself was given. Only the command line and the page know these, so they complete messages as they
// show them.
import { shellWord } from './text.ts'

/** The options that a suggested command has to repeat, each after a space; empty if none was given. */
export const optionsToRepeat = ({
  dir,
  config,
}: {
  readonly dir?: string | undefined
  readonly config?: string | undefined
}): string =>
  [
    ...(dir === undefined ? [] : [` --dir ${shellWord(dir)}`]),
    ...(config === undefined ? [] : [` --config ${shellWord(config)}`]),
  ].join('')

/** In backticks, or a command with at most options and numbers. */
const SUGGESTED = [
  /(?<=`)(?:npx )?tieout\s[a-z][^`]*(?=`)/g,
  /(?<!`|npx )\btieout (?:build|rebuild|import|writes)\b(?: --[a-z-]+(?: \d+| done\b)?)*/g,
] as const

/** These use other books or none, or have the options already. */
const COMPLETE = /^\S+(?: tieout)?\s(?:demo|sandbox|completion|endpoints)\b| --(?:dir|help)\b/

/** A message for people with `options` (of `optionsToRepeat`) added to the commands that it suggests. */
export function pasteable(message: string, options: string): string {
  if (options === '') return message
  const add = (command: string): string => (COMPLETE.test(command) ? command : `${command}${options}`)
  return SUGGESTED.reduce((text, suggested) => text.replace(suggested, add), message)
}
