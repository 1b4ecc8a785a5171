// Parses the `key=value` words of a command line into the fields of an endpoint. Only lists and objects need JSON. The
// endpoint's own rules check the values afterwards, so nothing is guessed or changed here.
import { z } from 'zod'
import type { Endpoint, Params } from '../../connectors/endpoint.ts'
import { UsageError } from '../../models/error.ts'
import { JsonError, parseJson } from '../../models/json.ts'
import { readInputFile, SMALL_FILE_BYTES } from '../config/input-file.ts'

/**
 * Parses the words. A value that begins with @ is the content of that file (@@ is a literal @). A list field takes
 * JSON, or words separated by commas; if the field may also be a string, JSON can express that. Throws a UsageError.
 */
export function readValues(endpoint: Endpoint, words: readonly string[]): Params {
  // Without a prototype, so that no field exists before it is given: not `constructor`, and not `__proto__`.
  const values: Record<string, unknown> = Object.create(null)
  for (const word of words) {
    const [key, text] = split(endpoint, word)
    if (key in values) throw misread(endpoint, `${key} is given twice`, 'each field once')
    values[key] = isList(endpoint, key) ? readList(endpoint, key, text) : text
  }
  return values
}

function split(endpoint: Endpoint, word: string): [string, string] {
  const place = word.indexOf('=')
  if (place < 1) throw misread(endpoint, word, 'words of the form key=value')
  const key = word.slice(0, place)
  const value = word.slice(place + 1)
  if (value.startsWith('@@')) return [key, value.slice(1)]
  return [key, value.startsWith('@') ? contentOf(key, value.slice(1)) : value]
}

const contentOf = (key: string, path: string): string =>
  readInputFile(path, SMALL_FILE_BYTES, {
    message: `The file for ${key} cannot be read.`,
    expected: 'a text file',
    action: `Correct the path, or write ${key}=@@… for a value that begins with @.`,
  })
    .toString()
    .replace(/\r?\n$/, '')

function readList(endpoint: Endpoint, key: string, text: string): unknown {
  if (!/^\s*[[{"]/.test(text)) return text === '' ? [] : text.split(',').map((item) => item.trim())
  try {
    return parseJson(text).value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const found = `${error.what} at character ${error.offset}`
    throw misread(endpoint, found, `${key}: a JSON list, or words separated by commas`)
  }
}

/** Whether the field takes a list, according to the endpoint's schema. */
export function isList(endpoint: Endpoint, field: string): boolean {
  return endpoint.params instanceof z.ZodObject && holdsList(endpoint.params.shape[field])
}

function holdsList(type: z.core.$ZodType | undefined): boolean {
  if (type instanceof z.ZodOptional) return holdsList(type.def.innerType)
  if (type instanceof z.ZodUnion) return type.def.options.some(holdsList)
  return type instanceof z.ZodArray
}

const misread = (endpoint: Endpoint, found: string, expected: string): UsageError =>
  new UsageError(`The values for ${endpoint.name} cannot be parsed.`, {
    expected,
    found,
    action: `Write them as in: \`tieout call ${endpoint.name} ${exampleOf(endpoint)}\`.`,
  })

/** The required fields, for a message. */
function exampleOf(endpoint: Endpoint): string {
  if (!(endpoint.params instanceof z.ZodObject)) return ''
  const required = Object.entries(endpoint.params.shape).filter(
    ([, type]) => !z.safeParse(type, undefined).success,
  )
  return required.map(([name, type]) => `${name}=${holdsList(type) ? "'[…]'" : '…'}`).join(' ')
}
