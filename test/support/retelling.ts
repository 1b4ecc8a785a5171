// A venue that discloses more than it should: a proxy to the sandbox that rewrites its answers, with personal data in every
// personal field and with the caller's own credentials in rows, messages, codes and error pages.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { prepare } from '../../connectors/attempt.ts'
import { endpoints } from '../../connectors/catalogue.ts'
import type { Endpoint } from '../../connectors/endpoint.ts'
import { defaultProfile } from '../../connectors/profile.ts'
import type { Sandbox } from '../../sandbox/index.ts'

export interface Retelling {
  readonly baseUrl: string
  readonly accounts: Sandbox['accounts']
  /** Recognisable values that were disclosed, by feed and field. */
  readonly people: ReadonlyMap<string, readonly string[]>
  readonly requests: () => number
  close(): Promise<void>
}

const pathOf = (endpoint: Endpoint): string =>
  prepare(endpoint, defaultProfile, {}).path.split('?')[0] as string

const byPath: ReadonlyMap<string, Endpoint> = new Map(
  endpoints.map((endpoint) => [pathOf(endpoint), endpoint]),
)

type Json = Record<string, unknown>

/** Feeds that refuse, each in a different way, and repeat the credentials in doing so. */
const REFUSING: Readonly<Record<string, (secrets: string) => { status: number; text: string }>> = {
  'futures.positions': (secrets) => ({
    status: 403,
    text: JSON.stringify({
      code: '40014',
      msg: `No permission for ${secrets}`,
      requestTime: Date.now(),
      data: null,
    }),
  }),
  'loan.ltv': (secrets) => ({
    status: 400,
    text: JSON.stringify({
      code: secrets,
      msg: `What is ${secrets}?`,
      requestTime: Date.now(),
      data: { secrets },
    }),
  }),
  'market.liquidations': (secrets) => ({ status: 500, text: `<html><h1>${secrets}</h1></html>` }),
}

export async function retelling(venue: Sandbox): Promise<Retelling> {
  const people = new Map<string, string[]>()
  let requests = 0
  let told = 0
  const canary = (feed: string, field: string): string => {
    told += 1
    const value = `Pers0n-${feed.replace('.', '-')}-${field}-${told}`
    people.set(`${feed}.${field}`, [...(people.get(`${feed}.${field}`) ?? []), value])
    return value
  }

  const withPeople = (endpoint: Endpoint, row: Json): void => {
    for (const [name, field] of Object.entries(endpoint.item?.fields ?? {})) {
      if (!field.personal) continue
      const value = canary(endpoint.name, name)
      row[name] =
        field.kind === 'json' ? [{ payMethodName: 'bank', detail: [{ name: 'iban', value }] }] : value
    }
    row.somethingNew = canary(endpoint.name, 'unknown')
  }

  const retell = (endpoint: Endpoint, text: string, secrets: string): string => {
    const answer = JSON.parse(text) as { code: string; data: unknown }
    if (answer.code !== '00000' || endpoint.item === null || endpoint.writes) return text
    const rows = rowsOf(endpoint, answer.data)
    const first = rows[0]
    if (first === undefined) return text
    if (Object.values(endpoint.item.fields).some(({ personal }) => personal)) {
      for (const row of rows) withPeople(endpoint, row)
      // One row that cannot be parsed is quarantined; it contains personal data too.
      const required = Object.entries(endpoint.item.fields).find(([, field]) => field.required)
      if (endpoint.rows !== 'object' && required !== undefined) {
        const odd: Json = { ...first, [required[0]]: null }
        withPeople(endpoint, odd)
        rows.push(odd)
      }
    } else first.echo = secrets
    return JSON.stringify(answer)
  }

  const server = createServer(async (request, response) => {
    requests += 1
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const endpoint = byPath.get(request.url?.split('?')[0] ?? '')
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => /^access-|^content-type$|^locale$/.test(name)),
    ) as Record<string, string>
    const caller = keysOf(venue).find(({ apiKey }) => apiKey === headers['access-key'])
    const secrets = caller === undefined ? 'nobody' : Object.values(caller).join(' and ')
    const refusing = REFUSING[endpoint?.name ?? '']
    if (refusing !== undefined) {
      const { status, text } = refusing(secrets)
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
      return
    }
    const answer = await fetch(`${venue.baseUrl}${request.url}`, {
      method: request.method ?? 'GET',
      headers,
      ...(request.method === 'POST' ? { body: Buffer.concat(chunks) } : {}),
    })
    const text = await answer.text()
    const retold = endpoint === undefined ? text : retell(endpoint, text, secrets)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(retold)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accounts: venue.accounts,
    people,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Key {
  readonly apiKey: string
  readonly secret: string
  readonly passphrase: string
}

export const keysOf = ({ accounts }: Pick<Sandbox, 'accounts'>): Key[] =>
  accounts.flatMap(({ apiKey, secret, passphrase, taxKey }) => [
    { apiKey, secret, passphrase },
    { apiKey: taxKey.apiKey, secret: taxKey.secret, passphrase: taxKey.passphrase },
  ])

function rowsOf(endpoint: Endpoint, data: unknown): Json[] {
  const list =
    endpoint.rows === 'object' ? [data] : endpoint.rows === '' ? data : (data as Json)[endpoint.rows]
  return Array.isArray(list) ? (list as Json[]) : []
}
