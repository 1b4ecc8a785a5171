// The request fields of an endpoint as its schema has them: which are required, and the rules in the very words with
// which a violation is refused. The words are got by breaking the rules, so that a page can never promise other ones.
import { z } from 'zod'
import type { Endpoint } from '../../connectors/endpoint.ts'

export interface RequestField {
  readonly name: string
  readonly required: boolean
  /** Empty where anything goes. */
  readonly rule: string
}

const REQUIRED = 'is required'

/** Values that break every kind of rule of connectors/params.ts that one value can break. */
const PROBES: readonly unknown[] = [{}, '', '-', 'x'.repeat(1_000), [], Array<string>(1_000).fill('x'), [{}]]

/** The fields in the order of the schema; those of an item of a list stand under `list[].field`. */
export function requestFields({ params }: Endpoint): RequestField[] {
  return params instanceof z.ZodObject ? fieldsOf(params, '') : []
}

function fieldsOf({ shape }: z.ZodObject, prefix: string): RequestField[] {
  return Object.entries(shape).flatMap(([name, type]) => {
    const field = {
      name: prefix + name,
      required: messages(type, undefined, 0).includes(REQUIRED),
      rule: ruleOf(type),
    }
    const item = itemOf(type)
    return item instanceof z.ZodObject ? [field, ...fieldsOf(item, `${prefix}${name}[].`)] : [field]
  })
}

function ruleOf(type: z.core.$ZodType): string {
  const own = PROBES.flatMap((probe) => messages(type, probe, 0))
  const item = itemOf(type)
  const ofItems =
    item === null || item instanceof z.ZodObject ? [] : PROBES.flatMap((probe) => messages(item, probe, 0))
  const each = ofItems.map((rule) => rule.replace(/^must /, 'each must '))
  return [...new Set([...own, ...each])].filter((rule) => rule !== REQUIRED).join('; ')
}

/** What is said of a value, at the given depth of it. */
function messages(type: z.core.$ZodType, value: unknown, depth: number): string[] {
  const checked = z.safeParse(type, value)
  if (checked.success) return []
  return checked.error.issues.filter(({ path }) => path.length === depth).map(({ message }) => message)
}

/** What a list holds; null for a field that is none. */
function itemOf(type: z.core.$ZodType): z.core.$ZodType | null {
  if (type instanceof z.ZodOptional) return itemOf(type.def.innerType)
  if (type instanceof z.ZodUnion) return type.def.options.map(itemOf).find((item) => item !== null) ?? null
  return type instanceof z.ZodArray ? type.def.element : null
}
