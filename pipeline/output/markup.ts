// Elements of a document as data, and the one place that writes them as text. Whatever comes from the venue
// or the user is a child or an attribute value, and both are escaped here; nothing can load, run or link
// elsewhere.

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

export type Tag =
  | ('html' | 'head' | 'meta' | 'title' | 'style' | 'body')
  | ('header' | 'main' | 'nav' | 'section' | 'footer' | 'div' | 'h1' | 'h2' | 'h3' | 'p' | 'a')
  | ('ul' | 'ol' | 'li' | 'dl' | 'dt' | 'dd' | 'code')
  | ('table' | 'caption' | 'thead' | 'tbody' | 'tfoot' | 'tr' | 'th' | 'td')
  | ('figure' | 'figcaption' | 'svg' | 'desc' | 'rect' | 'line' | 'text')

/** No address outside the document, no handler and no style of its own. */
export type Attribute =
  | ('lang' | 'class' | 'id' | 'href' | 'scope' | 'role' | 'tabindex' | 'charset' | 'name' | 'content')
  | ('http-equiv' | 'aria-labelledby' | 'aria-label' | 'aria-hidden')
  | ('viewBox' | 'x' | 'y' | 'x1' | 'y1' | 'x2' | 'y2' | 'width' | 'height' | 'text-anchor')

export type Attributes = Readonly<Partial<Record<Attribute, string>>>

export type Child = string | Markup | null | readonly Child[] | AsyncIterable<Child>

export interface Markup {
  readonly tag: Tag
  readonly attributes: Attributes
  readonly children: readonly Child[]
}

export const h = (tag: Tag, attributes: Attributes = {}, ...children: readonly Child[]): Markup => ({
  tag,
  attributes,
  children,
})

const VOID: ReadonlySet<Tag> = new Set<Tag>(['meta'])

/**
 * The document as text, part by part. RangeError for an address outside it and for a style that could end
 * itself.
 */
export async function* written(child: Child): AsyncIterable<string> {
  const now = whole(child)
  if (now !== null) {
    yield now
    return
  }
  if (isStream(child)) {
    for await (const part of child) yield* written(part)
  } else if (isList(child)) {
    for (const part of child) yield* written(part)
  } else {
    const { tag, attributes, children } = child as Markup
    yield opening(tag, attributes)
    for (const part of children) yield* written(part)
    yield `</${tag}>`
  }
}

/** The part that contains nothing still to come, as one text; null for the rest. */
function whole(child: Child): string | null {
  if (child === null) return ''
  if (typeof child === 'string') return escapeHtml(child)
  if (isStream(child)) return null
  if (isList(child)) return wholes(child)
  const { tag, attributes, children } = child
  if (tag === 'style') return `<style>${children.map(styleText).join('')}</style>`
  if (VOID.has(tag)) return opening(tag, attributes)
  const inside = wholes(children)
  return inside === null ? null : `${opening(tag, attributes)}${inside}</${tag}>`
}

function wholes(children: readonly Child[]): string | null {
  let text = ''
  for (const child of children) {
    const part = whole(child)
    if (part === null) return null
    text += part
  }
  return text
}

const isList = (child: Child): child is readonly Child[] => Array.isArray(child)

const isStream = (child: Child): child is AsyncIterable<Child> =>
  typeof child === 'object' && child !== null && Symbol.asyncIterator in child

function opening(tag: Tag, attributes: Attributes): string {
  let text = `<${tag}`
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'href' && !value.startsWith('#'))
      throw new RangeError(`A document cannot link elsewhere: ${value}`)
    text += ` ${name}="${value.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')}"`
  }
  return `${text}>`
}

/** Entities are not decoded in a style, so a style must not contain anything that needs one. */
function styleText(child: Child): string {
  if (typeof child === 'string' && !child.includes('<')) return child
  throw new RangeError('A style may contain only rules.')
}

/** A text as a CSS string: everything except letters, digits and spaces is written as its code. */
export const cssString = (text: string): string =>
  `"${text.replace(/[^A-Za-z0-9 ]/gu, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`
