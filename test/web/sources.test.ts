// What the page's sources must not contain: HTML made from text, style attributes, requests to other machines.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../../web')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(tsx?|css|html|svg)$/.test(name))
  .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))

const linesWith = (pattern: RegExp): string[] =>
  sources.flatMap(({ name, text }) =>
    text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${name}:${at + 1}: ${line.trim()}`] : [])),
  )

test('no element is made from text: data reaches the page only as text', () => {
  expect(
    linesWith(
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc|\beval\(|new Function/,
    ),
  ).toEqual([])
})

test('no source contains a style attribute, and charts and tables set no styles at all', () => {
  expect(linesWith(/style="/)).toEqual([])
  const pure = sources.filter(({ name }) => /^(charts|parts|proof|views)\//.test(name))
  expect(pure.filter(({ text }) => /style=\{/.test(text)).map(({ name }) => name)).toEqual([])
})

test('nothing is requested from another machine', () => {
  expect(linesWith(/https?:\/\/(?!www\.w3\.org\/2000\/svg)/)).toEqual([])
})

test('amounts become numbers in one place, only for charts', () => {
  const users = sources.filter(({ text }) => /\bplaceOf\b/.test(text)).map(({ name }) => name)
  expect(users.filter((name) => !/^charts\/|^words\/digits\.ts$/.test(name))).toEqual([])
  const floats = linesWith(/parseFloat|Number\.parseFloat/)
  expect(floats).toEqual([])
})

test('the licences of what is bundled are shipped with it', () => {
  const shipped = readFileSync(resolve(root, '../dist/web/licences.txt'), 'utf8')
  const { devDependencies } = JSON.parse(readFileSync(resolve(root, '../package.json'), 'utf8')) as {
    devDependencies: Readonly<Record<string, string>>
  }
  const bundled = new Set(
    sources.flatMap(({ name, text }) =>
      name === 'vite.config.ts'
        ? []
        : [...text.matchAll(/from '(@[\w-]+\/[\w-]+|[a-z][\w-]*)/g)].map((found) => found[1] as string),
    ),
  )
  expect([...bundled].toSorted()).toContain('preact')
  const missing = [...bundled].filter((name) => !shipped.includes(`## ${name} - ${devDependencies[name]}`))
  expect(missing).toEqual([])
})
