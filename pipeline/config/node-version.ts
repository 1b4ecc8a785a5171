// Which versions of Node run the program. Unsupported versions load this file too, so its syntax is old.

const numbers = (text: string): number[] =>
  text
    .replace(/^[^0-9]+/, '')
    .split('.')
    .map(Number)

/**
 * Whether a version of Node satisfies the range declared for npm (`^20.19.0 || >=22.11.0`), judged by its first two
 * numbers.
 */
export function runsOn(version: string, needed: string): boolean {
  const [major = 0, minor = 0] = numbers(version)
  return needed.split(' || ').some((range) => {
    const [least = 0, leastMinor = 0] = numbers(range)
    return major === least ? minor >= leastMinor : range.startsWith('>=') && major > least
  })
}

/** The same for people: `Node 20 (20.19 or later) or Node 22.11 or later`. */
export const inWords = (needed: string): string =>
  needed
    .split(' || ')
    .map((range) => {
      const [major, minor] = numbers(range)
      const least = `${major}.${minor} or later`
      return range.startsWith('>=') ? `Node ${least}` : `Node ${major} (${least})`
    })
    .join(' or ')
