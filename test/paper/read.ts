// What stands in a printed report, for the tests that hold it against figures.

/** The text of a document without its marks. */
export const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')

/** The table of a caption: its headings, then its lines. */
export function table(page: string, caption: string): Readonly<Record<string, string>>[] {
  const found = page
    .split('<table')
    .slice(1)
    .find((text) => plain(/<caption[^>]*>(.*?)<\/caption>/s.exec(text)?.[1] ?? '') === caption)
  if (found === undefined) throw new Error(`There is no table ${caption}.`)
  const [head, ...lines] = [...(found.split('</table>')[0] ?? '').matchAll(/<tr>(.*?)<\/tr>/gs)].map(
    ([, cells]) =>
      [...(cells ?? '').matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell]) => plain(cell ?? '')),
  )
  return lines.map((cells) => Object.fromEntries(cells.map((cell, at) => [head?.[at] ?? '', cell])))
}
