// `npm run docs`: writes docs/checks.md, docs/types.md, docs/tables.md, docs/lineage.md, docs/portable.md and the pages of docs/endpoints, and
// removes those that the catalogue no longer gives.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../pipeline/config/root.ts'
import { checkPage } from './check-page.ts'
import { endpointPages } from './endpoint-pages.ts'
import { lineagePage } from './lineage-page.ts'
import { portablePage } from './portable-page.ts'
import { tablePage } from './table-page.ts'
import { typePage } from './type-page.ts'

const folder = join(packageRoot, 'docs', 'endpoints')
const pages = endpointPages()
mkdirSync(folder, { recursive: true })
for (const name of readdirSync(folder)) if (!pages.has(name)) rmSync(join(folder, name))
for (const [name, text] of pages) writeFileSync(join(folder, name), text)
writeFileSync(join(packageRoot, 'docs', 'checks.md'), checkPage())
writeFileSync(join(packageRoot, 'docs', 'types.md'), typePage())
writeFileSync(join(packageRoot, 'docs', 'tables.md'), tablePage())
writeFileSync(join(packageRoot, 'docs', 'lineage.md'), await lineagePage())
writeFileSync(join(packageRoot, 'docs', 'portable.md'), portablePage())
process.stdout.write(`${pages.size} pages in ${folder}\n`)
