// The package as npm would publish it, of `dist` as it was built last, installed into an empty folder: demo and page run
// there, without the sources.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { temporaryFolder } from '../support/cli.ts'

const run = promisify(execFile)

test('the bundled packages are the same as before, by number and licence: adding one is a decision', () => {
  const licences = readFileSync(join(packageRoot, 'dist', 'pipeline', 'licences.txt'), 'utf8')
  const packages = [...licences.matchAll(/^## (\S+) - \S+ \((.+)\)$/gm)]
  expect(new Set(packages.map(([, name]) => name)).size).toBeLessThanOrEqual(45)
  expect(new Set(packages.map(([, , licence]) => licence))).toEqual(new Set(['Apache-2.0', 'ISC', 'MIT']))
})

test('the program is executable after every build: npm ensures that only when it installs', () => {
  const { mode } = statSync(join(packageRoot, 'dist', 'pipeline', 'main.js'))
  expect((mode & 0o777).toString(8)).toBe('755')
})

test('the packed package installs into an empty folder, and runs demo and page there', async () => {
  const folder = temporaryFolder()
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: packageRoot })
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', join(folder, tarball)], {
    cwd: project,
  })

  const installed = join(project, 'node_modules', 'tieout')
  expect(linksOf(installed).filter(([, target]) => !existsSync(target))).toEqual([])

  const books = join(project, 'books')
  const demo = await run('npx', ['tieout', 'demo', '--days', '5', '--dir', books, '--json'], { cwd: project })
  expect(JSON.parse(demo.stdout)).toMatchObject({ published: true, comparison: { differences: [] } })
  expect(existsSync(join(books, 'ledger.duckdb'))).toBe(true)

  const program = join(installed, 'dist', 'pipeline', 'main.js')
  const words = ['serve', '--port', '0', '--no-open', '--json', '--dir', books]
  const server = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    const [line] = (await once(createInterface(server.stdout), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const entered = await request(url)
    await entered.body.dump()
    const cookie = String(entered.headers['set-cookie']).split(';')[0] ?? ''
    const page = await request(new URL('/', url), { headers: { cookie, 'sec-fetch-site': 'none' } })
    expect([page.statusCode, await page.body.text()]).toEqual([
      200,
      expect.stringContaining('<script type="module"'),
    ])
  } finally {
    server.kill()
    await once(server, 'exit')
  }

  // As npm leaves it out with `--omit=optional`, or for a machine that there is none for.
  const database = `node-bindings-${process.platform}-${process.arch}`
  rmSync(join(project, 'node_modules', '@duckdb', database), { recursive: true })
  for (const words of [['build'], ['sql', 'select 1']]) {
    const { code, stderr } = await run(process.execPath, [program, ...words, '--dir', books]).catch(
      (error) => error,
    )
    expect([code, stderr]).toEqual([
      expect.toBeOneOf([1, 2]),
      expect.stringContaining(`${database}/duckdb.node`),
    ])
    expect(stderr).not.toMatch(/^\s+at /m)
  }
}, 900_000)

/** What the installed pages link to beside them: the page, and the file. */
function linksOf(installed: string): [string, string][] {
  const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  expect(pages.length).toBeGreaterThan(40)
  return pages.flatMap((page) =>
    [
      ...readFileSync(join(installed, page), 'utf8')
        .replace(/```[\s\S]*?```|`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)#\s]+)/g),
    ]
      .filter(([, link = '']) => !/^https?:/.test(link))
      .map(([, link = '']) => [page, join(installed, dirname(page), link)] as [string, string]),
  )
}
