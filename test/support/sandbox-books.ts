// Books of a sandbox that look back only as far as its history: otherwise a run would request two years of empty windows.
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Sandbox, writeSandboxConfig } from '../../sandbox/index.ts'

/** Writes configuration and credentials into the folder; `since` is a day before the sandbox's history starts. */
export async function configureBooks(
  dir: string,
  sandbox: Pick<Sandbox, 'baseUrl' | 'accounts'>,
  { speed, since }: { readonly speed: number; readonly since: string },
): Promise<void> {
  await writeSandboxConfig(dir, sandbox, { speed })
  appendFileSync(join(dir, 'tieout.yaml'), `history: { since: ${since}T00:00:00Z }\n`)
}
