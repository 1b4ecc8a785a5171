// Types of bundle.mjs.
import type { Plugin } from 'rolldown'

export interface BundleOptions {
  readonly external?: (id: string) => boolean
  /** Run before a module learns its own place. */
  readonly plugins?: readonly Plugin[]
}

export function bundle(entry: string, options?: BundleOptions): Promise<string>
export function bundleFolder(
  input: Readonly<Record<string, string>>,
  external: readonly string[],
): Promise<string>
export function begin(entry: string): Promise<Readonly<Record<string, unknown>>>
