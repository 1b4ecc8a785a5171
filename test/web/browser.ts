// The page in Debian's Chromium: one browser per test file, watched for anything the page must not do.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const root = resolve(import.meta.dirname, '../..')
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Where Chromium stands; an error that says how to get it where there is none. */
function chromiumPath(): string {
  const path = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
    (one) => one !== undefined && existsSync(one),
  )
  if (path === undefined)
    throw new Error(
      'The tests of the page need Chromium: apt-get install -y --no-install-recommends chromium, or name another one in CHROMIUM.',
    )
  return path
}

/** The page is tested as it was built; an error when its sources have changed since. */
export function requireFreshBuild(): void {
  const built = join(root, 'dist/web/index.html')
  const newest = Math.max(
    ...readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8' }).map(
      (name) => statSync(join(root, 'web', name)).mtimeMs,
    ),
  )
  if (!existsSync(built) || statSync(built).mtimeMs < newest)
    throw new Error('The built page is missing or older than its sources: npm run build, then test again.')
}

export interface Watched {
  readonly page: Page
  /** What the page did that it must not do, each with where. */
  readonly wrongs: string[]
}

export async function openBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
}

/** A page that notes errors, violations of its policy, failed answers and requests that leave this machine. */
export async function watchedPage(context: BrowserContext, origin: string): Promise<Watched> {
  const page = await context.newPage()
  const wrongs: string[] = []
  const where = (): string => new URL(page.url()).pathname
  await page.exposeFunction(
    'noteViolation',
    (text: string) => void wrongs.push(`${where()}: policy: ${text}`),
  )
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => noteViolation(event.violatedDirective + ' ' + event.blockedURI))",
  )
  page.on('console', (message) => {
    if (message.type() === 'error') wrongs.push(`${where()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => wrongs.push(`${where()}: ${error.message}`))
  page.on('request', (request) => {
    const { protocol, origin: to } = new URL(request.url())
    if (to !== origin && protocol !== 'data:') wrongs.push(`${where()}: asked ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 400) wrongs.push(`${where()}: ${response.status()} ${response.url()}`)
  })
  return { page, wrongs }
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string
    readonly impact: string
    readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[]
  }[]
}

/** Serious and critical findings of axe on what is shown, of some rules or of all, in a line each. */
export async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    ...(rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } }),
  }
  // What is evaluated here is not held back by the policy of the page, and so does not ask for an exception from it.
  await page.evaluate(`${axe}\nundefined`)
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResult
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 3).map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
    )
}
