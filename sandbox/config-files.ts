// Writes the configuration and the credentials with which tieout runs against a sandbox exactly as against the venue:
// `sandbox --init DIR`. Other files are left alone.

import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { SandboxAccount } from './core/accounts.ts'
import { ENDPOINTS } from './endpoints/index.ts'
import { faster } from './http/budgets.ts'

/** The parts of `Sandbox` that a configuration needs. */
export interface Listing {
  baseUrl: string
  accounts: readonly SandboxAccount[]
}

const OWNER_ONLY = 0o600

/**
 * The first line of a sandbox configuration: only files with it, and the credentials beside them, may be replaced by
 * the next one.
 */
export const CONFIG_MARK = '# A sandbox of tieout'

export async function writeSandboxConfig(
  dir: string,
  sandbox: Listing,
  options: { speed: number },
): Promise<void> {
  await mkdir(dir, { recursive: true })
  const named = sandbox.accounts.map((account) => [account.name, account] as const)
  await writeFile(join(dir, 'tieout.yaml'), configuration(sandbox.baseUrl, named, options.speed))
  const credentials = Object.fromEntries(
    named.map(([name, { apiKey, secret, passphrase, taxKey }]) => [
      name,
      {
        key: apiKey,
        secret,
        passphrase,
        tax_key: taxKey.apiKey,
        tax_secret: taxKey.secret,
        tax_passphrase: taxKey.passphrase,
      },
    ]),
  )
  const path = join(dir, 'credentials.yaml')
  await writeFile(
    path,
    stringify(credentials, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }),
    {
      mode: OWNER_ONLY,
    },
  )
  // The mode above applies only to a new file.
  await chmod(path, OWNER_ONLY)
}

function configuration(
  baseUrl: string,
  named: readonly (readonly [string, SandboxAccount])[],
  speed: number,
): string {
  const budgets = ENDPOINTS.map(({ name, rate, budgetGroup }) => {
    const { count, perMs } = faster(rate, speed)
    const group = budgetGroup === undefined ? '' : `, group: ${budgetGroup}`
    return `    ${name}: { count: ${count}, per_ms: ${perMs}${group} }`
  })
  const accounts = named.map(([name, { uid }]) => `  ${name}:\n    uid: "${uid}"\n    credentials: file`)
  return `${CONFIG_MARK}: invented accounts on loopback.
venue:
  base_url: ${baseUrl}
  # The documented rates, as fast as this sandbox refills them.
  ip_budget: { count: 100, per_ms: ${1_000 / speed} }
  budgets:
${budgets.join('\n')}
prices:
  sources:
    candles: { budget: { count: 20, per_ms: ${1_000 / speed} } }
    ecb: { url: ${baseUrl}/service, budget: { count: 1, per_ms: ${500 / speed} } }
accounts:
${accounts.join('\n')}
`
}
