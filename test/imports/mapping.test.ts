// Mappings of the user's, and those that ship: what they say, what is refused of them, and which one a header needs.
import { readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readingFor } from '../../pipeline/imports/layouts.ts'
import { readMapping, shippedMappings, unreadBy } from '../../pipeline/imports/mapping.ts'
import { tradesFormat } from '../../pipeline/imports/trades.ts'
import { KRAKEN, readExports, refusal } from './service-exports.ts'

const { dir, read, rows } = readExports()

describe('a mapping', () => {
  const file = (text: string): string => {
    const path = join(dir, 'mine.yaml')
    writeFileSync(path, text)
    return path
  }

  it('that extends a shipped one adds what is left open there, and need not state anything else', () => {
    const mapping = file('extends: kraken-ledgers\nwords:\n  transfer/: income\nassets:\n  FLR: FLARE\n')
    const line = '"L1","T1","2024-03-01 09:30:15","transfer","","currency","FLR","5","0","5"'
    expect(rows([KRAKEN, line], { account: 'kraken', mapping })).toEqual([
      'kraken-ledgers-L1,2024-03-01T09:30:15Z,kraken,income,FLARE,5,,,0,',
    ])
  })

  it('of the user’s reads any service', () => {
    const mapping = file(`
name: my-bank
columns: [Datum, Art, Menge, Coin, Betrag, Währung]
time: { column: Datum, forms: ['DD.MM.YYYY HH:mm'], zone: Europe/Zurich }
numbers: { decimal: ',', thousands: "'" }
fields: { word: Art, amount: Menge, asset: Coin, total: Betrag, currency: Währung }
signed: false
words: { Kauf: buy, Verkauf: sell }
`)
    expect(
      rows(['Datum,Art,Menge,Coin,Betrag,Währung', `01.02.2024 08:00,Kauf,"0,5",BTC,"20'000,50",CHF`], {
        account: 'bank',
        mapping,
      }),
    ).toEqual([
      expect.stringMatching(/^my-bank-\w{24},2024-02-01T07:00:00Z,bank,buy,BTC,0.5,CHF,20000.5,0,$/),
    ])
    // A group of digits that is none is no amount: 1,5 is not 15.
    const bad = refusal(() =>
      rows(['Datum,Art,Menge,Coin,Betrag,Währung', `01.02.2024 08:00,Kauf,1'5,BTC,1.5,CHF`], {
        account: 'b',
        mapping,
      }),
    )
    expect(bad.describe()).toContain('2 cells of the file')
  })

  describe('of a service that writes a paid fee with a minus', () => {
    const text = (more: string) => `
name: my-broker
columns: [Date, Kind, Amount, Coin, Paid, Money, Fee, Fee coin]
time: { column: Date, forms: ['DD.MM.YYYY'] }
fields: { word: Kind, amount: Amount, asset: Coin, total: Paid, currency: Money, fee: Fee, fee_currency: Fee coin }
words: { Buy: buy, Sell: sell }
${more}
`
    const HEADER = 'Date,Kind,Amount,Coin,Paid,Money,Fee,Fee coin'
    const made = (more: string, ...lines: string[]) =>
      rows([HEADER, ...lines], { account: 'broker', mapping: file(text(more)) }).map((row) =>
        row.slice(row.indexOf(',') + 1),
      )
    const signed = ['01.02.2024,Buy,2,BTC,-100,EUR,-1.5,EUR', '02.02.2024,Sell,-1,BTC,60,EUR,0.25,EUR']
    const bare = ['01.02.2024,Buy,2,BTC,100,EUR,-1.5,EUR', '02.02.2024,Sell,1,BTC,60,EUR,0.25,EUR']
    const paidAndRebate = [
      '2024-02-01T00:00:00Z,broker,buy,BTC,2,EUR,100,1.5,EUR',
      '2024-02-02T00:00:00Z,broker,sell,BTC,1,EUR,60,-0.25,EUR',
    ]

    it('states fee_sign: minus; a fee without a sign is a rebate', () => {
      expect(made('fee_sign: minus', ...signed)).toEqual(paidAndRebate)
      expect(made('fee_sign: minus\nsigned: false', ...bare)).toEqual(paidAndRebate)
    })

    it('takes its fees out of the amounts that include them', () => {
      expect(
        made(
          'fee_sign: minus\nfees: included',
          '01.02.2024,Buy,2,BTC,-100,EUR,-1.5,EUR',
          '02.02.2024,Sell,-1,BTC,60,EUR,-0.25,EUR',
        ),
      ).toEqual([
        '2024-02-01T00:00:00Z,broker,buy,BTC,2,EUR,98.5,1.5,EUR',
        '2024-02-02T00:00:00Z,broker,sell,BTC,1,EUR,60.25,0.25,EUR',
      ])
      const whole = '02.02.2024,Sell,-1,BTC,60,EUR,60,EUR'
      expect(refusal(() => made('fee_sign: minus\nfees: included', whole)).details.expected).toContain(
        'with a minus if it was paid',
      )
    })

    it('reads the sign as in our own format if it states plus, and as before if it states nothing', () => {
      const other = [paidAndRebate[0]?.replace('1.5', '-1.5'), paidAndRebate[1]?.replace('-0.25', '0.25')]
      expect(made('fee_sign: plus\nsigned: false', ...bare)).toEqual(other)
      expect(made('', ...signed)).toEqual(other)
      expect(made('signed: false', ...bare)).toEqual([paidAndRebate[0], other[1]])
    })

    it('has a column of fees', () => {
      const none = text('fee_sign: minus').replace(', fee: Fee, fee_currency: Fee coin', '')
      expect(refusal(() => readMapping(file(none))).details).toMatchObject({
        expected: 'fields fee and fee_currency, because fee_sign describes how fees are written',
      })
      expect(refusal(() => readMapping(file(text('fee_sign: negative')))).describe()).toContain('fee_sign')
    })
  })

  it('recognises columns, words and aliases however their accents are encoded, as one character or as a letter and its accent', () => {
    const text = `
name: my-bank
columns: [Datum, Art, Menge, Stück, Währung]
time: { column: Datum, forms: ['DD.MM.YYYY'] }
fields: { word: Art, amount: Menge, asset: Stück, total: Betrag, currency: Währung, fee: Fee, fee_currency: Währung }
signed: false
assets: { Übercoin: UBC }
numbers: { nothing: [keine Gebühr] }
aside: [{ column: Art, is: [Rückfrage], why: nothing happened }]
words: { Käufe: { as: buy, paid: { column: Notiz, forms: ['für {total} {currency}'], required: true } } }
`
    const lines = [
      'Datum,Art,Menge,Stück,Betrag,Währung,Fee,Notiz',
      '01.02.2024,Käufe,2,Übercoin,29,CHF,keine Gebühr,für 30 USD',
      '01.02.2024,Rückfrage,2,Übercoin,29,CHF,,',
    ]
    // Of each line and of the mapping: one sign for a vowel with its dots, or two.
    const read = (ofMapping: string, ofFile: string) =>
      rows(
        lines.map((line) => line.normalize(ofFile)),
        { account: 'bank', mapping: file(text.normalize(ofMapping)) },
      )
    const ids = ['NFC', 'NFD'].flatMap((form) => [...read(form, 'NFC'), ...read(form, 'NFD')])
    for (const row of ids)
      expect(row).toMatch(/^my-bank-\w{24},2024-02-01T00:00:00Z,bank,buy,UBC,2,USD,30,0,$/)
    expect(ids).toHaveLength(4)
    // One row, one id: an export that overlaps the other doubles nothing.
    expect(new Set(ids).size).toBe(1)
  })

  it('is journaled for a file with commas as versions before semicolons can read it', () => {
    const [kraken] = shippedMappings().filter(({ name }) => name === 'kraken-ledgers')
    // Of the first version that shipped mappings; it refuses a frame with any other key.
    expect(Object.keys(JSON.parse(JSON.stringify(kraken))).toSorted()).toEqual([
      'accounts',
      'aside',
      'asset_suffixes',
      'assets',
      'columns',
      'fees',
      'fields',
      'group',
      'name',
      'numbers',
      'signed',
      'time',
      'title',
      'words',
    ])
  })

  it('of a file with semicolons states them; without it the refusal says what to write', () => {
    const text = (delimiter: string) => `
name: my-bank
columns: [Datum, Art, Menge, Coin, Betrag, Währung]
${delimiter}
time: { column: Datum, forms: ['DD.MM.YYYY HH:mm:ss.S'], zone: Europe/Zurich }
numbers: { decimal: ',', thousands: '.' }
fields: { word: Art, amount: Menge, asset: Coin, total: Betrag, currency: Währung }
signed: false
words: { Kauf: buy }
`
    const lines = [
      '\uFEFFsep=;',
      'Datum;Art;Menge;Coin;Betrag;Währung;Notiz',
      '01.02.2024 08:00:01.25;Kauf;0,5;BTC;20.000,50;CHF;"a; b, c"',
    ]
    const options = { account: 'bank', mapping: file(text('delimiter: ";"')) }
    expect(rows(lines, options)).toEqual([
      expect.stringMatching(/^my-bank-\w{24},2024-02-01T07:00:01.250Z,bank,buy,BTC,0.5,CHF,20000.5,0,$/),
    ])
    expect(refusal(() => rows(lines, { ...options, mapping: file(text('')) })).details).toMatchObject({
      where: 'export.csv:1',
      action: 'Set delimiter: ";" in the mapping, as in this file; nothing of it has been imported.',
    })
  })

  it.each([
    [' ', '1\u00a0234\u00a0567,5', '1\u202f000'],
    ["'", '1’234’567,5', '1’000'],
  ])('accepts what spreadsheets write for the separator %j', (thousands, total, quantity) => {
    const mapping = file(`
name: my-bank
columns: [Date, Kind, Qty, Coin, Total, Cur]
time: { column: Date, forms: ['YYYY-MM-DD'] }
numbers: { decimal: ',', thousands: "${thousands}" }
fields: { word: Kind, amount: Qty, asset: Coin, total: Total, currency: Cur }
signed: false
words: { Buy: buy }
`)
    const lines = ['Date,Kind,Qty,Coin,Total,Cur', `2024-02-01,Buy,${quantity},BTC,"${total}",EUR`]
    expect(rows(lines, { account: 'bank', mapping })).toEqual([
      expect.stringMatching(/^my-bank-\w{24},2024-02-01T00:00:00Z,bank,buy,BTC,1000,EUR,1234567.5,0,$/),
    ])
  })

  it('accepts no group of digits that begins with a zero, but what is in the journal stays readable', () => {
    const mapping = file(`
name: my-bank
columns: [Date, Kind, Qty, Coin, Total, Cur]
time: { column: Date, forms: ['YYYY-MM-DD'] }
numbers: { thousands: ',' }
fields: { word: Kind, amount: Qty, asset: Coin, total: Total, currency: Cur }
signed: false
words: { Buy: buy }
`)
    // A quantity of 0.123, saved with a decimal comma: it was read as 123.
    const lines = ['Date,Kind,Qty,Coin,Total,Cur', '2024-02-01,Buy,"0,123",BTC,"5,000.10",EUR']
    const options = { account: 'bank', mapping }
    expect(refusal(() => read(lines, options)).details).toMatchObject({
      where: 'export.csv:2, column Qty',
      found: '0,123',
    })
    const [row] = read(lines, options, 'journaled').rows
    expect(row?.values).toContain(123n * 10n ** 18n)
    const plain = lines.with(1, '2024-02-01,Buy,0.123,BTC,"5,000.10",EUR')
    expect(rows(plain, options)).toEqual([
      expect.stringMatching(/^my-bank-\w{24},2024-02-01T00:00:00Z,bank,buy,BTC,0.123,EUR,5000.1,0,$/),
    ])
  })

  it('whose numbers or times can be read in two ways is refused', () => {
    const wrong = (text: string) => refusal(() => readMapping(file(text))).details
    // 0.123 was read as 123, and 1.5 as 1.5.
    expect(wrong("extends: koinly\nnumbers: { thousands: '.' }\n")).toMatchObject({
      expected: 'numbers.decimal and numbers.thousands: two different characters',
      found: '. for both',
    })
    for (const form of ['YYYY-MM-DD HH:MM', 'YYYY-MM-DD HH:mm:ss.SSS', 'DD.MM. HH:mm'])
      expect(wrong(`extends: koinly\ntime: { forms: ['${form}'] }\n`)).toMatchObject({
        expected:
          'time.forms: YYYY or YY, MM and DD, with no part repeated: MM is the month, mm the minute, and one S all decimals of a second',
        found: form,
      })
  })

  it('ignores the columns that it lists as ignored, and no others', () => {
    const mapping = readMapping(
      file(`
name: my-bank
columns: [Date, Kind]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, amount: Qty, asset: [Coin, Asset] }
signed: true
group: [Ref]
aside: [{ column: State, is: [failed], why: nothing happened }]
words: { Buy: trade }
`),
    )
    const header = ['Note', 'Date', 'Kind', 'Qty', 'Asset', 'Ref', 'State', 'Remark']
    expect([...unreadBy(mapping, header)]).toEqual([0, 7])
  })

  it('reports a zone that does not exist at its place in the mapping', () => {
    const mapping = file('extends: koinly\ntime: { zone: Europe/Zürich }\n')
    const header = readMapping(mapping).columns.join(',')
    const lines = [header]
    expect(refusal(() => rows(lines, { account: 'a', mapping })).details).toMatchObject({
      where: 'time.zone of the mapping',
      found: 'Europe/Zürich',
    })
  })

  it('with an unknown key or meaning, or one that contradicts itself, is refused with its place', () => {
    const wrong = (text: string) => refusal(() => readMapping(file(text)))
    expect(wrong('extends: koinly\ncolums: []\n')).toMatchObject({
      message: 'The mapping has an unknown key: colums.',
      details: {
        where: expect.stringMatching(/mine\.yaml:2$/),
        expected: expect.stringContaining('nearest is columns'),
      },
    })
    expect(wrong('extends: koinly\nwords:\n  deposit/lost: gone\n').details).toMatchObject({
      where: expect.stringMatching(/mine\.yaml:3$/),
      expected: expect.stringContaining('one of trade, buy'),
    })
    expect(
      wrong('extends: koinly\nwords:\n  a: { as: income, fee_witin: true }\n').details.expected,
    ).toContain('nearest is fee_within')
    // A required key that is misspelt is also missing; the misspelling says which line to correct.
    expect(wrong('name: own\ncolums: [A]\ntime: { column: A, forms: [YYYY-MM-DD] }\n')).toMatchObject({
      message: 'The mapping has an unknown key: colums.',
      details: { where: expect.stringMatching(/mine\.yaml:2$/) },
    })
    expect(wrong('extends: coinbase\nwords:\n  Swap: trade\n').message).toBe(
      'The mapping contradicts itself.',
    )
    expect(wrong('extends: kraken-ledger\n').details.expected).toContain('nearest is kraken-ledgers')
    expect(wrong('a: [\n').message).toBe('The mapping is not valid YAML.')
  })

  it.each([
    [
      'neither an amount nor two sides',
      'fields: { word: Kind }',
      'fields amount and asset, or in, in_asset, out and out_asset',
    ],
    [
      'both',
      'fields: { word: Kind, amount: A, asset: B, in: C, in_asset: D, out: E, out_asset: F }',
      'fields amount and asset, or in, in_asset, out and out_asset',
    ],
    [
      'a sign of fees without their coin',
      'fee_sign: minus\nfields: { word: Kind, amount: A, asset: B, fee: F }',
      'fields fee and fee_currency, because fee_sign describes how fees are written',
    ],
    ...['trade', 'transfer', 'fee'].map((as) => [
      `no sign for ${as}`,
      `signed: false\ngroup: [Ref]\nfields: { word: Kind, amount: A, asset: B }\nwords: { Deal: ${as} }`,
      'signed: true, because the sign determines what Deal is',
    ]),
    [
      'nothing that ties a trade',
      'fields: { word: Kind, amount: A, asset: B }\nwords: { Deal: trade }',
      'group: the columns that tie the rows of Deal',
    ],
    ...[
      'fields: { word: Kind, amount: A, asset: B, total: T }',
      'fields: { word: Kind, amount: A, asset: B, currency: C }',
    ].flatMap((fields) =>
      ['buy', 'sell'].map((as) => [
        `a ${as} that does not state what was paid`,
        `${fields}\nwords: { Deal: ${as} }`,
        `fields total and currency, because Deal is a ${as}`,
      ]),
    ),
    [
      'a purchase with two sides',
      'fields: { word: Kind, in: A, in_asset: B, out: C, out_asset: D, total: T, currency: Cur }\nwords: { Deal: buy }',
      'fields total and currency, because Deal is a buy',
    ],
  ])('with %s is refused', (_, text, expected) => {
    const words = text.includes('words:') ? '' : 'words: { Deal: income }'
    const head = "name: mine\ncolumns: [Date]\ntime: { column: Date, forms: ['YYYY-MM-DD'] }"
    expect(refusal(() => readMapping(file(`${head}\n${text}\n${words}\n`))).details.expected).toBe(expected)
  })

  it('that extends another adds to its numbers and fields, and what it states itself counts', () => {
    const mapping = readMapping(
      file(
        "extends: coinbase\nnumbers: { thousands: ' ', nothing: [none] }\nfields: { account: Wallet, asset: Coin }\n",
      ),
    )
    expect(mapping.numbers).toEqual({ decimal: '.', thousands: ' ', signs: '$€£', nothing: ['none'] })
    expect(mapping.fields).toMatchObject({
      ...{ word: ['Transaction Type'], amount: ['Quantity Transacted'] },
      ...{ account: ['Wallet'], asset: ['Coin'] },
    })
  })

  it('recognises a header with at most ten rows above it, and with a column for every field', () => {
    const mapping = file(`
name: mine
columns: [Date, Kind]
time: { column: Date, forms: ['YYYY-MM-DD'] }
fields: { word: Kind, amount: Qty, asset: [Coin, Asset], total: Worth, currency: Cur }
words: { Reward: income }
`)
    const made = (above: number, header: string) =>
      rows([...Array<string>(above).fill('about,the,user'), header, '2024-02-01,Reward,2,BTC,60,EUR'], {
        account: 'desk',
        mapping,
      })
    expect(made(10, 'Date,Kind,Qty,Asset,Worth,Cur')).toEqual([
      expect.stringMatching(/^mine-\w{24},2024-02-01T00:00:00Z,desk,income,BTC,2,EUR,60,0,$/),
    ])
    expect(refusal(() => made(11, 'Date,Kind,Qty,Asset,Worth,Cur')).message).toBe('Unexpected header.')
    expect(refusal(() => made(0, 'Date,Kind,Qty,Name,Paid,Cur')).details.expected).toBe(
      'the columns of the mapping mine; without a match: Coin or Asset, Worth',
    )
  })

  it('ships for five services, each named like its file or like the one whose ids it makes, and is in the package', () => {
    const names = readdirSync(resolve(import.meta.dirname, '../../data/imports'))
    expect(names.toSorted()).toEqual([
      'binance-statement-local.yaml',
      'binance-statement.yaml',
      'coinbase.yaml',
      'cointracking.yaml',
      'koinly.yaml',
      'kraken-ledgers.yaml',
    ])
    // Both headers of Binance's export give a row the same id.
    expect(shippedMappings().map(({ name }) => name)).toEqual([
      'binance-statement',
      'binance-statement',
      'coinbase',
      'cointracking',
      'koinly',
      'kraken-ledgers',
    ])
  })

  it('is not needed for a file of our own format that a spreadsheet saved with semicolons', () => {
    const own = 'id;time;account;type;asset;quantity;currency;total;fee;fee_currency'
    expect(refusal(() => rows([own, ''])).details.expected).toMatch(
      /^id,time,account,type,asset,quantity,currency,total,fee,fee_currency, with commas between the cells and points for decimals, or the export of a service: /,
    )
  })

  it('is not needed for a file of our own format with capitals, spaces or another order: the correct header is shown', () => {
    const own = 'id,time,account,type,asset,quantity,currency,total,fee,fee_currency'
    for (const header of [own.toUpperCase(), own.replaceAll(',', ', '), own.replace('id,time', 'time,id')]) {
      const file = { name: 'trades.csv', bytes: Buffer.from(`${header}\n`) }
      expect(readingFor(file, { dir })).toBeNull()
      expect(refusal(() => tradesFormat.read(file)).details).toMatchObject({ expected: own, found: header })
    }
  })

  it('is needed for an unknown header, and the nearest is named', () => {
    const error = refusal(() => rows([KRAKEN.replace('"refid",', ''), ''], { account: 'kraken' }))
    expect(error.details.expected).toContain('(nearest: kraken-ledgers, without refid)')
  })
})
