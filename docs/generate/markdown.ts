// What the generated pages share: their first line, and tables.

export const MADE = '<!-- Made from the models by `npm run docs`; changes by hand are lost. -->\n'

export function markdownTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)]
}
