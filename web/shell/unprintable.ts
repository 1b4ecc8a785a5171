// No text reaches the document but with what is unprintable in it shown as a code, whichever component it comes from. What the
// page sends back, as in an address or a filter, is as it came.
import { options, type VNode } from 'preact'
import { visible } from '../words/visible.ts'

/** What is read of an element, beside its content. */
const READ = ['title', 'aria-label'] as const

const shown = (child: unknown): unknown => {
  if (typeof child === 'string') return visible(child)
  return Array.isArray(child) ? child.map(shown) : child
}

/** Holds for all that is drawn from now on. */
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
