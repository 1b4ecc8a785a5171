// In all text that reaches the document, from whichever component, unprintable characters are shown as codes. What the page
// sends back, as in an address or a filter, is unchanged.
import { options, type VNode } from 'preact'
import { visible } from '../words/visible.ts'

/** Attributes that users read, besides an element's content. */
const READ = ['title', 'aria-label'] as const

const shown = (child: unknown): unknown => {
  if (typeof child === 'string') return visible(child)
  return Array.isArray(child) ? child.map(shown) : child
}

/** Applies to everything rendered from now on. */
export function showUnprintable(): void {
  const before = options.vnode
  options.vnode = (node: VNode) => {
    if (typeof node.type === 'string') {
      const props = node.props as Record<string, unknown>
      if (props.children !== undefined) props.children = shown(props.children)
      for (const name of READ) if (typeof props[name] === 'string') props[name] = visible(props[name])
    }
    before?.(node)
  }
}
