// A key's secret is told once: it goes to the credentials file and nowhere else. And a broker's sub-accounts join the
// configuration with keys that may only read.
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Answer } from '../../connectors/venue.ts'
import { systemClock } from '../../models/clock.ts'
import type { TieoutError } from '../../models/error.ts'
import { openBooks } from '../../pipeline/books/books.ts'
import { syncBooks } from '../../pipeline/books/night.ts'
import { readWrites } from '../../pipeline/books/writes.ts'
import { keepSecret } from '../../pipeline/calls/keep-secret.ts'
import { type AddOptions, addSubaccounts } from '../../pipeline/calls/subaccounts.ts'
import { requiredConfig } from '../../pipeline/config/context.ts'
import type { Sandbox } from '../../sandbox/index.ts'
import { type Desk, desk, journalText, sandbox, textOf } from '../support/calls.ts'
import { lossyWay } from '../support/lossy-way.ts'

const CREATE = '/api/v2/broker/manage/create-subaccount-apikey'
const PASSPHRASE = 'hush-hush-passphrase'

/** The broker's sub-account, the fourth of the sandbox. */
const subOf = ({ accounts }: Pick<Sandbox, 'accounts'>): string => accounts[3]!.uid

const keyFor = (uid: string): string[] => [
  `subUid=${uid}`,
  `passphrase=${PASSPHRASE}`,
  'label=books',
  'permType=readonly',
  'permList=spot_trade',
]

const asBroker = { account: 'broker', write: true } as const

type Section = { readonly key: string; readonly secret: string; readonly passphrase: string }

const credentials = ({ dir }: Desk): Record<string, Section> => parse(textOf(dir, 'credentials.yaml'))

/** Everything that a reader of files or a terminal could see, but the credentials file. */
async function visible({ dir, printed, told }: Desk): Promise<string> {
  return [await journalText(dir), textOf(dir, 'tieout.yaml'), ...printed, ...told].join('\n')
}

describe('a key created by a call', () => {
  test('is added to the credentials file, keeps what was there, and works from then on', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    const before = textOf(at.dir, 'credentials.yaml')
    writeFileSync(join(at.dir, 'credentials.yaml'), `# Keys of the desk.\n${before}`)
    const uid = subOf(venue)
    const created = (await at.call('broker.createApiKey', keyFor(uid), asBroker)) as Record<string, string>
    const kept = credentials(at)[`sub-${uid}`]!
    expect(created).toMatchObject({
      subUid: uid,
      apiKey: kept.key,
      secretKey: '*'.repeat(kept.secret.length),
    })
    expect(kept.passphrase).toBe(PASSPHRASE)
    expect(textOf(at.dir, 'credentials.yaml').startsWith(`# Keys of the desk.\n${before}`)).toBe(true)
    expect(statSync(join(at.dir, 'credentials.yaml')).mode & 0o777).toBe(0o600)
    expect(at.told.at(-1)).toBe(
      `Its credentials are stored in ${join(at.dir, 'credentials.yaml')} as sub-${uid}; the secret is not shown anywhere.`,
    )
  })

  test('leaves its secret in no output, no configuration and no journal', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    await at.call('broker.createApiKey', keyFor(subOf(venue)), asBroker)
    const { key, secret } = credentials(at)[`sub-${subOf(venue)}`]!
    const seen = await visible(at)
    expect(seen).not.toContain(secret)
    expect(seen).not.toContain(PASSPHRASE)
    const journal = await journalText(at.dir)
    expect(journal).toContain(
      `"apiKey":"${'*'.repeat(key.length)}","secretKey":"${'*'.repeat(secret.length)}"`,
    )
    expect(journal).toContain('"redacted":2')
  })

  test('is in no output and no journal when it is modified with a key that the configuration does not have', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    const uid = subOf(venue)
    const values = [...keyFor(uid), 'apiKey=bg_0123456789abcdef0123456789abcdef']
    // Shown first, and then refused: the sandbox has no such key.
    await at.call('broker.modifyApiKey', values, { account: 'broker' })
    await at.call('broker.modifyApiKey', values, asBroker).catch(() => undefined)
    expect((await journalText(at.dir)).match(/"apiKey":"[^"]*"/g)).toEqual(['"apiKey":"***"'])
    const seen = await visible(at)
    expect(seen).not.toContain('bg_0123456789abcdef0123456789abcdef')
  })

  test('is stored under the given name', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    await at.call('broker.createApiKey', keyFor(subOf(venue)), { ...asBroker, saveAs: 'desk-7' })
    expect(credentials(at)['desk-7']?.passphrase).toBe(PASSPHRASE)
  })

  test.each([
    ['a name that is taken', { saveAs: 'broker' }, 'There are already credentials named broker.'],
    ['a name that is none', { saveAs: '../x' }, 'Credentials cannot be stored under the name ../x.'],
  ])('is not requested under %s', async (_, options, message) => {
    const venue = await sandbox()
    const at = await desk(venue)
    const asked = at.call('broker.createApiKey', keyFor(subOf(venue)), { ...asBroker, ...options })
    await expect(asked).rejects.toMatchObject({ exitCode: 2, message })
    expect(await journalText(at.dir)).toBe('')
  })

  test('is not requested while others can read the credentials file', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    chmodSync(join(at.dir, 'credentials.yaml'), 0o644)
    await expect(at.call('broker.createApiKey', keyFor(subOf(venue)), asBroker)).rejects.toMatchObject({
      exitCode: 2,
      message: 'The credentials file can be read by others.',
    })
  })

  test('whose secret cannot be stored has to be deleted at the venue, and the error shows no secret', async () => {
    const { dir } = await desk()
    const { keep } = keepSecret(dir, { subUid: '7', passphrase: PASSPHRASE }, undefined)
    mkdirSync(join(dir, 'credentials.yaml'))
    const answer = { envelope: { data: { apiKey: 'new-key', secretKey: 'new-secret' } } } as unknown as Answer
    const error = await keep(answer).then(
      () => null,
      (failure: TieoutError) => failure,
    )
    expect(error?.describe()).toBe(
      [
        'A key of sub-account 7 was created, but its secret could not be stored.',
        `  where:    ${join(dir, 'credentials.yaml')}`,
        '  found:    a folder (EISDIR)',
        '  next:     Delete the key on the venue’s site: its secret is shown only once. Then create it again.',
      ].join('\n'),
    )
  })

  test('whose answer is lost is not requested again before that is settled', async () => {
    const venue = await sandbox()
    const way = await lossyWay(venue)
    const at = await desk(way)
    way.lose('answer', CREATE)
    await expect(at.call('broker.createApiKey', keyFor(subOf(venue)), asBroker)).rejects.toMatchObject({
      name: 'OutcomeUnknown',
      details: {
        action: expect.stringMatching(/^Check the keys of the sub-account on the venue’s site; delete a key/),
      },
    })
    await expect(at.call('broker.createApiKey', keyFor(subOf(venue)), asBroker)).rejects.toMatchObject({
      name: 'UsageError',
    })
    expect(way.arrived.filter((path) => path === CREATE)).toHaveLength(1)
  })
})

describe('the sub-accounts of a broker', () => {
  const options = (uid: string): AddOptions => ({
    uids: [uid],
    account: 'broker',
    addresses: [],
    write: true,
    newPassphrase: () => PASSPHRASE,
  })

  /** A broker's books: of the sandbox's accounts only the broker is configured. */
  async function house() {
    const venue = await sandbox()
    const way = await lossyWay(venue)
    const at = await desk({ ...way, accounts: [venue.accounts[2]!] })
    const source = textOf(at.dir, 'tieout.yaml')
    writeFileSync(
      at.context.configFile,
      source.replace('accounts:\n', 'accounts:\n  # Who is in the house.\n'),
    )
    return { venue, way, at, uid: subOf(venue) }
  }

  test('are shown without --write, and nothing is sent or changed', async () => {
    const { way, at, uid } = await house()
    const before = textOf(at.dir, 'tieout.yaml')
    await addSubaccounts(at.context, { ...options(uid), write: false })
    expect(at.printed).toEqual([
      `Sub-account ${uid}: creates a read-only key, stores it in credentials.yaml, adds it to tieout.yaml as sub-${uid}.`,
    ])
    expect(at.told).toEqual(['Nothing was sent or changed. Add --write to do it.'])
    expect(way.arrived).toEqual([])
    expect(textOf(at.dir, 'tieout.yaml')).toBe(before)
  })

  test('get a read-only key, are added to the configuration as separate lines, and sync together with the broker', async () => {
    const { at, uid } = await house()
    const before = textOf(at.dir, 'tieout.yaml')
    await addSubaccounts(at.context, options(uid))
    expect(at.printed).toEqual([`Sub-account ${uid} has a key and is configured as sub-${uid}.`])
    expect(textOf(at.dir, 'tieout.yaml')).toBe(
      `${before}  sub-${uid}:\n    uid: "${uid}"\n    credentials: "file"\n`,
    )
    const config = requiredConfig(at.context)
    const books = await openBooks(at.dir, { clock: systemClock, command: 'sync' })
    const selection = { feeds: ['trade.orderHistory'] }
    await syncBooks(at.context, config, books, selection, 'sync', () => undefined)
    // No permission of 4.1 opens the settings, by which an account's kind is told.
    expect(await books.landing.account(`sub-${uid}`)).toMatchObject({ uid, kind: 'unknown' })
    const told = await books.landing.connection.runAndReadAll(
      'select distinct account from landing.main.orders order by 1',
    )
    expect(told.getRows()).toEqual([['broker'], [`sub-${uid}`]])
    expect(await readWrites(books.landing.connection)).toHaveLength(1)
    await books.close()
    expect(
      await at.call('spot.placeOrder', ORDER, { account: `sub-${uid}`, write: true }).catch(nameOf),
    ).toBe('PermissionRefused')
  })

  test('that are already configured are left unchanged', async () => {
    const { way, at, uid } = await house()
    await addSubaccounts(at.context, options(uid))
    const after = textOf(at.dir, 'tieout.yaml')
    const sent = way.arrived.length
    await addSubaccounts(at.context, options(uid))
    expect(at.printed.at(-1)).toBe(`Sub-account ${uid} is already configured.`)
    expect(textOf(at.dir, 'tieout.yaml')).toBe(after)
    expect(way.arrived).toHaveLength(sent)
  })

  test('leave no secret in an unfinished file of a process that died, once the next one writes', async () => {
    const at = await desk(await sandbox())
    const left = [
      '.credentials.yaml.4711-634b0fb7.tmp',
      '.tieout.yaml.4711-b812f3f9.tmp',
      '.counterparties.key.4711-0c1d2e3f.tmp',
      '.steps.json.4711-0c1d2e3f.tmp',
      '.breaks-unpublished.json.4711-0c1d2e3f.tmp',
      join('journal', '.erasing.json.4711-4a123617.tmp'),
      join('journal', '.erased.jsonl.4711-4a123617.tmp'),
      join('journal', '.repair.json.4711-4a123617.tmp'),
    ]
    const others = ['.credentials.yaml.swp', '.credentials.yaml.4711-634b0fb7.tmp.bak']
    mkdirSync(join(at.dir, 'journal'), { recursive: true })
    for (const name of [...left, ...others]) writeFileSync(join(at.dir, name), 'secret: 1', { mode: 0o600 })
    await (await openBooks(at.dir, { clock: systemClock, command: 'test' })).close()
    const names = readdirSync(at.dir)
    expect(left.filter((name) => existsSync(join(at.dir, name)))).toEqual([])
    expect(names).toEqual(expect.arrayContaining([...others, 'credentials.yaml', 'tieout.yaml']))
  })

  test('whose key had been stored when the last run ended need no second one', async () => {
    const { way, at, uid } = await house()
    const before = textOf(at.dir, 'tieout.yaml')
    await addSubaccounts(at.context, options(uid))
    writeFileSync(at.context.configFile, before)
    await addSubaccounts(at.context, options(uid))
    expect(at.printed.at(-1)).toBe(`Sub-account ${uid} is now configured as sub-${uid}.`)
    expect(way.arrived.filter((path) => path === CREATE)).toHaveLength(1)
  })

  test('are not added under a name that the configuration gives to another account', async () => {
    const { way, at, uid } = await house()
    const before = textOf(at.dir, 'tieout.yaml')
    const other = `  sub-${uid}:\n    uid: "4711"\n    credentials: file\n`
    writeFileSync(at.context.configFile, before + other)
    await expect(addSubaccounts(at.context, options(uid))).rejects.toMatchObject({
      exitCode: 2,
      message: `The configuration has another account named sub-${uid}.`,
      details: { expected: `uid ${uid}`, found: 'uid 4711' },
    })
    expect(way.arrived).toEqual([])
    expect(textOf(at.dir, 'tieout.yaml')).toBe(before + other)
  })

  test('that the venue has reported for a configured account without a uid need no key', async () => {
    const { venue, way, at } = await house()
    const { uid } = venue.accounts[2]!
    const source = textOf(at.dir, 'tieout.yaml')
    writeFileSync(at.context.configFile, source.replace(`    uid: "${uid}"\n`, ''))
    expect(textOf(at.dir, 'tieout.yaml')).not.toContain(uid)
    const books = await openBooks(at.dir, { clock: systemClock, command: 'sync' })
    const settings = { feeds: ['account.settings'] }
    await syncBooks(at.context, requiredConfig(at.context), books, settings, 'sync', () => undefined)
    await books.close()
    await addSubaccounts(at.context, options(uid))
    expect(at.printed.at(-1)).toBe(`Sub-account ${uid} is already configured.`)
    expect(way.arrived).not.toContain(CREATE)
  })

  test('cannot be added by a parent that is not an ND broker, and the error says what to do instead', async () => {
    const venue = await sandbox()
    const at = await desk(venue)
    await expect(addSubaccounts(at.context, { ...options('4711'), account: 'parent' })).rejects.toMatchObject(
      {
        exitCode: 4,
        message: 'Only an ND broker main account can create keys for sub-accounts (interface document, 4.1).',
        details: { where: 'account parent', action: expect.stringContaining('--account') },
      },
    )
  })
})

const ORDER = ['symbol=BTCUSDT', 'side=buy', 'orderType=limit', 'force=gtc', 'price=1000', 'size=0.01']
const nameOf = (error: Error): string => error.name
