// A page on another port of this machine tries, in a real browser with access, everything that a page can try unasked: to read,
// to write, to run SQL, to frame and to navigate. It is on the same site (ports are not part of a site), so every request
// carries the cookie, and the server has to tell them apart. A host name that resolves to 127.0.0.1 tries the same.
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publish } from '../reports/books.ts'
import { type Serving, startServing } from './serving.ts'

let serving: Serving & { readonly end: () => Promise<void> }
let other: Server
let browser: Browser
beforeAll(async () => {
  const dir = await publish([
    "insert into runs values ('secret-run', now(), now(), 'nightly', 3, 5, 0, 'done')",
    `insert into breaks values ('b1', 'coverage', 'warning', 'main', null, null, null, null, null, null, 'x', '[]', now(), 'open')`,
  ])
  serving = await startServing(dir, ['--log-level', 'debug'])
  other = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<!doctype html><body>'),
  )
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--host-resolver-rules=MAP evil.example 127.0.0.1'],
  })
})
afterAll(async () => {
  await browser.close()
  other.close()
  await serving.end()
})

/** As the server sets it when the printed address is opened. */
const cookie = () => ({
  name: `tieout-${serving.port}`,
  value: serving.secret,
  domain: '127.0.0.1',
  path: '/',
  httpOnly: true,
  sameSite: 'Strict' as const,
})

/** What the other page does; each tells whether it learned anything. Runs in the browser. */
const ATTEMPTS = `async (target) => {
  const learned = []
  const read = async (name, path, options) => {
    try {
      const answer = await fetch(target + path, { credentials: 'include', ...options })
      const text = await answer.text()
      if (text !== '') learned.push(name + ': ' + text.slice(0, 80))
    } catch {}
  }
  await read('read', '/api/runs', {})
  await read('read without asking', '/api/runs', { mode: 'no-cors' })
  await read('the page', '/', { mode: 'no-cors' })
  await read('events', '/api/events', { mode: 'no-cors' })
  const body = JSON.stringify({ id: 'x', sql: 'select 1', note: 'x' })
  for (const path of ['/api/console/run', '/api/breaks/b1/note', '/api/console/download']) {
    await read('write', path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await read('simple write', path, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body })
    await read('beacon', path, { method: 'POST', mode: 'no-cors', keepalive: true, body: new URLSearchParams({ sql: 'select 1' }) })
  }
  const ended = (element) => new Promise((resolve) => {
    element.onload = element.onerror = resolve
    document.body.append(element)
    setTimeout(resolve, 3000)
  })
  const make = (tag, members) => Object.assign(document.createElement(tag), members)
  await ended(make('script', { src: target + '/api/runs' }))
  await ended(make('img', { src: target + '/api/runs' }))
  await ended(make('link', { rel: 'stylesheet', href: target + '/api/runs' }))
  const frame = make('iframe', { src: target + '/', name: 'frame' })
  await ended(frame)
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const form = make('form', { action: target + '/api/breaks/b1/note', method: 'post', target: 'frame', enctype })
    form.append(make('input', { name: '{"note":"x","y":"', value: '"}' }))
    document.body.append(form)
    const sent = new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000) })
    form.submit()
    await sent
  }
  const source = new EventSource(target + '/api/events', { withCredentials: true })
  source.onmessage = (event) => learned.push('event: ' + event.data)
  await new Promise((resolve) => { source.onerror = resolve; setTimeout(resolve, 3000) })
  source.close()
  return learned
}`

test('a page on another port learns nothing and changes nothing', async () => {
  const context = await browser.newContext()
  await context.addCookies([cookie()])
  const mine = await context.newPage()
  await mine.goto(`http://127.0.0.1:${serving.port}/nowhere`)
  const own = (await mine.evaluate("fetch('/api/runs').then((answer) => answer.text())")) as string
  expect(own).toContain('secret-run')
  // What the browser hides from the other page it hides from the test too, so the server's own log is asked.
  let log = ''
  serving.running.child.stderr?.on('data', (text: string) => {
    log += text
  })
  const attacker = await context.newPage()
  const origin = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
  await attacker.goto(origin)
  const target = `http://127.0.0.1:${serving.port}`
  expect(await attacker.evaluate(`(${ATTEMPTS})(${JSON.stringify(target)})`)).toEqual([])
  const answers = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { msg: string; status: number; method: string; path: string })
    .filter(({ msg }) => msg === 'answered')
  expect(answers.length).toBeGreaterThan(15)
  expect(answers.filter(({ status }) => status !== 403)).toEqual([])
  expect(await serving.get('/api/notes/current')).toBeNull()
  await context.close()
})

test('a page that opens ours in a new window gets no access to it', async () => {
  const context = await browser.newContext()
  await context.addCookies([cookie()])
  const attacker = await context.newPage()
  await attacker.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}`)
  const [popup] = await Promise.all([
    context.waitForEvent('page'),
    attacker.evaluate(`void window.open('http://127.0.0.1:${serving.port}/console?sql=select+1')`),
  ])
  await popup.waitForLoadState()
  expect(await popup.textContent('body')).toContain('The request comes from another site.')
  await context.close()
})

test('a host name that resolves to this machine gets nowhere', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const answer = await page.goto(`http://evil.example:${serving.port}/`)
  expect(answer?.status()).toBe(403)
  expect(await page.textContent('body')).toContain('This address is not served.')
  await context.close()
})
