// Adds an entry to one of the user's YAML files. All other entries, their order and all comments stay, though white
// space may change. The file is replaced as a whole.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { type Document, isMap, parseDocument, Scalar } from 'yaml'
import { UsageError } from '../../models/error.ts'
import { nodeDisk, writeFileAtomic } from '../journal/disk.ts'

/**
 * Adds `entries` (all strings) as a mapping at a location of one or two keys; the enclosing mapping is created if it is
 * missing. `mode` is used for a new file; an existing one keeps its own. Throws a UsageError for a file that is not
 * YAML.
 */
export async function addToYaml(
  path: string,
  place: readonly [string] | readonly [string, string],
  entries: Readonly<Record<string, string>>,
  mode: number,
): Promise<void> {
  // A link stays a link: its target is replaced.
  const file = existsSync(path) ? realpathSync(path) : path
  const exists = existsSync(file)
  const document = parseDocument(exists ? readFileSync(file, 'utf8') : '')
  const broken = document.errors[0]
  if (broken !== undefined)
    throw new UsageError('The file is not valid YAML.', {
      where: `${path}, character ${broken.pos[0]}`,
      action: 'Correct it and run the command again.',
    })
  for (let depth = 0; depth < place.length; depth++) openMapping(document, place.slice(0, depth))
  document.setIn(place, quoted(document, entries))
  const text = document.toString({ lineWidth: 0 })
  await writeFileAtomic(nodeDisk, file, text, exists ? statSync(file).mode & 0o777 : mode)
}

/** Makes sure that the location holds a block mapping, to which entries can be added on lines of their own. */
function openMapping(document: Document, place: readonly string[]): void {
  const found = document.getIn(place, true)
  if (isMap(found)) found.flow = false
  else if (place.length === 0)
    document.contents = document.createNode({}) as unknown as typeof document.contents
  else document.setIn(place, document.createNode({}))
}

/** Strings in quotes, so that a uid or a key made of digits stays a string. */
function quoted(document: Document, entries: Readonly<Record<string, string>>): unknown {
  const node = document.createNode(entries)
  for (const { value } of node.items) if (value instanceof Scalar) value.type = Scalar.QUOTE_DOUBLE
  return node
}
