// Price files of other services, recognised by their headers, and any other by a mapping of the user's. The samples have the
// services' columns with numbers of our own; what is expected is worked out by hand.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { formatAmount } from '../../models/amount.ts'
import { UsageError } from '../../models/error.ts'
import { emptyConfig } from '../../pipeline/config/config.ts'
import { readMappedPrices } from '../../pipeline/imports/mapped-prices.ts'
import { type PriceOptions, priceReadingFor } from '../../pipeline/imports/price-layouts.ts'
import { priceReadingOf, shippedPriceMappings } from '../../pipeline/imports/price-mapping.ts'
import { pricesFormat } from '../../pipeline/imports/prices.ts'
import { ImportedBooks } from '../support/imports.ts'

const dir = mkdtempSync(join(tmpdir(), 'tieout-prices-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const BTC = { asset: 'BTC', currency: 'USD' }

/** Rows as a file of tieout's own would have them, and what made none. */
function read(lines: readonly string[], options: PriceOptions = BTC): string[] {
  const file = { name: 'export.csv', bytes: Buffer.from(lines.join('\n')) }
  const reading = priceReadingFor(file, options)
  if (reading === null) throw new Error('This is no file of another service.')
  // As it comes back from the journal.
  const kept = priceReadingOf(JSON.parse(JSON.stringify(reading)))
  if (kept === null) throw new Error('The reading does not survive the journal.')
  const { rows, aside } = readMappedPrices(file, kept, 'new')
  return [
    ...rows.map(({ values: [micros, asset, currency, price, source] }) => {
      const time = new Date(Number(micros as bigint) / 1000).toISOString()
      return [time, asset, currency, formatAmount(price as bigint), source].join(',')
    }),
    ...aside.map(({ what, rows: count }) => `${count} ${what}`),
  ]
}

function refusal(work: () => unknown): UsageError {
  try {
    work()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('Nothing was refused.')
}

/** A mapping file of this text. */
function mapping(text: string): string {
  const file = join(dir, 'mapping.yaml')
  writeFileSync(file, text)
  return file
}

const KLINES =
  'open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore'

describe('price files of common services are recognised by their headers', () => {
  it('CoinGecko’s: the price at the moment of a row', () => {
    expect(
      read([
        'snapped_at,price,market_cap,total_volume',
        '2025-01-01 00:00:00 UTC,93500.1234,1850000000000.0,2.4e10',
        '2025-01-02 00:00:00 UTC,94000,,',
        '2025-01-03 00:00:00 UTC,,,',
      ]),
    ).toEqual([
      '2025-01-01T00:00:00.000Z,BTC,USD,93500.1234,coingecko',
      '2025-01-02T00:00:00.000Z,BTC,USD,94000,coingecko',
      '1 without a price',
    ])
  })

  it('CoinMarketCap’s: the close of the day, between semicolons and quotes, after a byte-order mark', () => {
    const header =
      'timeOpen;timeClose;timeHigh;timeLow;name;open;high;low;close;volume;marketCap;circulatingSupply;timestamp'
    const day = (of: string): string => `"${of}T00:00:00.000Z";"${of}T23:59:59.999Z"`
    expect(
      read([
        `\uFEFF${header}`,
        `${day('2025-10-20')};"2025-10-20T15:53:00.000Z";"2025-10-20T00:34:00.000Z";"2781";108667.44;111711;107485;110588.93;6.3E10;2.2E12;19937518;"2025-10-20T23:59:59.999Z"`,
      ]),
    ).toEqual(['2025-10-20T23:59:59.999Z,BTC,USD,110588.93,coinmarketcap'])
  })

  it('Yahoo’s: the close at the end of the day; a day with null has none', () => {
    expect(
      read([
        'Date,Open,High,Low,Close,Adj Close,Volume',
        '2024-12-31,92600,96200,91900,93400.5,93400.5,43625106843',
        '2025-01-01,null,null,null,null,null,null',
      ]),
    ).toEqual(['2024-12-31T23:59:59.999Z,BTC,USD,93400.5,yahoo', '1 without a price'])
  })

  it('Kraken’s candles, which have no header: the close at the last millisecond of a candle, an hour after it opens', () => {
    const lines = [
      '1735689600,93500,93900,93100,93700.1,12.5,310',
      '1735696800,93700.1,94000,93600,93800,9,200',
    ]
    expect(read(lines, { ...BTC, candle: 60 })).toEqual([
      '2025-01-01T00:59:59.999Z,BTC,USD,93700.1,kraken-ohlc',
      '2025-01-01T02:59:59.999Z,BTC,USD,93800,kraken-ohlc',
    ])
  })

  it('Binance’s klines with a header and without, in milliseconds and in microseconds', () => {
    const options = { asset: 'BTC', currency: 'USDT' }
    const rest = '1000,500,6,50000,0'
    const milli = `1735686000000,93000,93600,92900,93500.10000000,12,1735689599999,${rest}`
    const micro = `1735689600000000,93500,93900,93400,93800.2,12,1735693199999999,${rest}`
    const prices = [
      '2024-12-31T23:59:59.999Z,BTC,USDT,93500.1,binance-klines',
      '2025-01-01T00:59:59.999Z,BTC,USDT,93800.2,binance-klines',
    ]
    expect(read([KLINES, milli, micro], options)).toEqual(prices)
    expect(read([milli, micro], options)).toEqual(prices)
  })

  it('the ECB’s and our own are not among these', () => {
    for (const header of ['Date,USD,JPY,', 'time,asset,currency,price'])
      expect(priceReadingFor({ name: 'a.csv', bytes: Buffer.from(`${header}\n`) }, {})).toBeNull()
    expect(shippedPriceMappings().map(({ name }) => name)).toEqual([
      ...['binance-klines', 'coingecko', 'coinmarketcap', 'kraken-ohlc', 'yahoo'],
    ])
  })
})

describe('what a price file does not contain, the user has to state', () => {
  const lines = ['1735689600,1,1,1,1,1,1']
  const gecko = ['snapped_at,price,market_cap,total_volume', '2025-01-01 00:00:00 UTC,1,1,1']

  it.each([
    ['its coin', lines, { currency: 'USD', candle: 60 }, '--asset', 'The file does not state its asset.'],
    [
      'its currency',
      lines,
      { asset: 'BTC', candle: 60 },
      '--currency',
      'The file does not state its currency.',
    ],
    ['how long a candle is', lines, BTC, '--candle', 'The file does not state its candle.'],
    ['a candle of a half', lines, { ...BTC, candle: 0.5 }, '--candle', 'The file does not state its candle.'],
    [
      'a candle where it has none',
      gecko,
      { ...BTC, candle: 60 },
      '--candle',
      'The file states its own candle.',
    ],
    [
      'a zone where it has one',
      gecko,
      { ...BTC, zone: 'Asia/Tokyo' },
      '--zone',
      'The file states its own zone.',
    ],
    [
      'a coin in itself',
      gecko,
      { asset: 'USD', currency: 'USD' },
      '--asset, --currency',
      'A coin is priced in its own units.',
    ],
  ])('%s', (_what, of, options, where, message) => {
    const error = refusal(() => read(of, options))
    expect([error.details.where, error.message]).toEqual([where, message])
  })

  it('a header of our own format in capitals is shown as it should be', () => {
    const file = { name: 'prices.csv', bytes: Buffer.from('Time,Asset,Currency,Price\n') }
    expect(priceReadingFor(file, {})).toBeNull()
    expect(refusal(() => pricesFormat.read(file)).details.expected).toMatch(/^time,asset,currency,price or /)
  })

  it('for an unknown header, the known ones and the nearest are named', () => {
    const error = refusal(() => read(['snapped_at,price,market_cap', '1,2,3']))
    expect(error.message).toBe('Unexpected header.')
    expect(error.details.expected).toContain('(nearest: coingecko, without total_volume)')
    expect(error.details.expected).toContain('time,asset,currency,price')
  })
})

describe('everything that is wrong with a price file is reported at once, by line and column', () => {
  it('times, prices, missing cells and repeated prices', () => {
    const error = refusal(() =>
      read([
        'snapped_at,price,market_cap,total_volume',
        '2025-02-30 00:00:00 UTC,-1,1,1',
        '2025-01-02 00:00:00 UTC,ninety,1,1',
        '2025-01-03 00:00:00 UTC,5,1',
        '2025-01-04 00:00:00 UTC,5,1,1',
        '2025-01-04 00:00:00 UTC,6,1,1',
        '2025-01-05 00:00:00 UTC,0,1,1',
      ]),
    )
    const told = error.describe()
    expect(error.message).toBe('6 cells of the file cannot be read.')
    for (const place of [
      'export.csv:2, column snapped_at: Invalid time.',
      'export.csv:2, column price: An amount is negative.',
      'export.csv:3, column price: Not a plain decimal.',
      'export.csv:4, column total_volume: A row has a different number of cells from the header.',
      'export.csv:6, column snapped_at: Two rows of the file have the same snapped_at.',
      'export.csv:7, column price: An amount is zero.',
    ])
      expect(told).toContain(place)
  })

  it('the first line of a file without a header is line 1', () => {
    const error = refusal(() => read(['1735689600,1,1,1,1x,1,1'], { ...BTC, candle: 60 }))
    expect(error.details.where).toBe('export.csv:1, column close')
  })
})

it('for a file of our own format that a spreadsheet saved with semicolons, the correct form is shown', () => {
  expect(refusal(() => read(['time;asset;currency;price', ''])).details.expected).toContain(
    ', with commas between the cells and points for decimals, the ECB',
  )
})

describe('a mapping file of the user’s own', () => {
  const OWN = `
name: my-broker
columns: [Datum, Coin, Kurs, Währung]
delimiter: ";"
time: { column: Datum, forms: ["DD.MM.YYYY HH:mm"], zone: Europe/Berlin }
price: Kurs
asset: Coin
currency: Währung
assets: { Bitcoin: BTC }
numbers: { decimal: ",", thousands: ".", nothing: ["-"] }
`

  it('reads any other: columns for coin and currency, decimal commas, local times', () => {
    const lines = [
      'Datum;Coin;Kurs;Währung;Notiz',
      '01.07.2025 02:00;Bitcoin;91.234,5;EUR;',
      '01.07.2025 02:00;ETH;-;EUR;kein Kurs',
    ]
    // Also where the file or the mapping has the vowel and its dots as two signs.
    for (const [ofMapping, ofFile] of [
      ['NFC', 'NFC'],
      ['NFC', 'NFD'],
      ['NFD', 'NFC'],
    ] as const)
      expect(
        read(
          lines.map((line) => line.normalize(ofFile)),
          { mapping: mapping(OWN.normalize(ofMapping)) },
        ),
      ).toEqual(['2025-07-01T00:00:00.000Z,BTC,EUR,91234.5,my-broker', '1 without a price'])
  })

  it('may extend one that ships', () => {
    const mine = mapping('extends: yahoo\nname: yahoo-noon\ntime: { closes_after: 720 }\n')
    const lines = ['Date,Open,High,Low,Close,Adj Close,Volume', '2025-01-01,1,1,1,2,2,1']
    expect(read(lines, { ...BTC, mapping: mine })).toEqual(['2025-01-01T11:59:59.999Z,BTC,USD,2,yahoo-noon'])
  })

  it.each([
    ['an unknown key', `${OWN}prize: Kurs\n`, 'The mapping has an unknown key: prize.'],
    [
      'a source of the books’ own',
      OWN.replace('my-broker', 'candles'),
      'The mapping has a bad value at name.',
    ],
    [
      'no column of the time where there may be no header',
      'name: x\ncolumns: [a, b]\nheader: none\ntime: { column: c, forms: [unix] }\nprice: b\n',
      'The mapping contradicts itself.',
    ],
    [
      'one sign for decimals and thousands',
      OWN.replace('thousands: "."', 'thousands: ","'),
      'The mapping contradicts itself.',
    ],
    ['minutes written as months', OWN.replace('HH:mm', 'HH:MM'), 'The mapping contradicts itself.'],
  ])('is refused with %s', (_what, text, message) => {
    expect(refusal(() => read(['a,b'], { mapping: mapping(text) })).message).toBe(message)
  })
})

it('an imported price file values the books, and is read again from the journal', async () => {
  const books = new ImportedBooks({}, { only: ['main.prices', 'main.imports', 'main.lot_events'] })
  try {
    await books.trades('b1,2025-01-01T00:30:00Z,main,buy,BTC,1,USD,90000,0.5,BNB')
    const candles = '1735686000,700,705,699,701,12.5,310\n1735689600,701,702,700,702,9,200\n'
    const told = { asset: 'BNB', currency: 'USD', candle: 60 }
    const { id } = await books.import('prices', candles, 'BNBUSD_60.csv', told)
    const state = async () => [
      await books.query("select priced_at, price, source from prices where source <> 'trades' order by 1"),
      await books.query("select kind, layout, file_name from imports where kind = 'prices'"),
      await books.query("select value from lot_events where event_id = 'b1' and coin = 'BTC'"),
    ]
    await books.build()
    const built = await state()
    expect(built).toEqual([
      [
        ['2024-12-31T23:59:59.999Z', '701', 'kraken-ohlc'],
        ['2025-01-01T00:59:59.999Z', '702', 'kraken-ohlc'],
      ],
      [['prices', 'kraken-ohlc', 'BNBUSD_60.csv']],
      // Half a BNB at the close of the hour before.
      [['90350.5']],
    ])
    // The same file again adds nothing.
    expect(await books.import('prices', candles, 'BNBUSD_60.csv', told)).toMatchObject({ rows: 2, added: 0 })
    // As prices of another coin, in another currency or of other hours, its prices would stand there twice.
    for (const other of [{ asset: 'BNX' }, { currency: 'EUR' }, { candle: 30 }])
      await expect(books.import('prices', candles, 'again.csv', { ...told, ...other })).rejects.toMatchObject(
        {
          message: 'The books already have this very file, read differently.',
          details: {
            found: expect.stringMatching(
              /^2 rows that import \d+ \(BNBUSD_60\.csv\), of the same bytes, does not have/,
            ),
            expected: expect.stringContaining('--asset, --currency, --zone and --candle'),
          },
        },
      )
    await books.rebuild()
    expect(await state()).toEqual(built)
    await books.undo(id as number)
    const renamed = await books.import('prices', candles, 'BNX.csv', { ...told, asset: 'BNX' })
    expect(renamed).toMatchObject({ added: 2 })
  } finally {
    books.close()
  }
}, 60_000)

describe('the close of a day values the end of that same day', () => {
  const day = (of: string, close: string): string => `${of},1,1,1,${close},${close},1`
  const seconds = (of: string): number => Date.parse(`${of}T00:00:00Z`) / 1000
  const kline = (of: string, close: string): string =>
    `${seconds(of)}000000,1,1,1,${close},12,${seconds(of) + 86_399}999999,1000,500,6,50000,0`
  const ohlc = (of: string, close: string): string => `${seconds(of)},1,1,1,${close},12,310`

  it.each([
    [
      'Yahoo',
      ['Date,Open,High,Low,Close,Adj Close,Volume', day('2025-12-30', '100'), day('2025-12-31', '110')],
      {},
    ],
    ['Binance, in microseconds', [kline('2025-12-30', '100'), kline('2025-12-31', '110')], {}],
    ['Kraken', [ohlc('2025-12-30', '100'), ohlc('2025-12-31', '110')], { candle: 1440 }],
  ])(
    '%s',
    async (_, lines, told) => {
      const books = new ImportedBooks(
        { reports: { ...emptyConfig.reports, currency: 'USD' } },
        { only: ['main.daily_valuation'] },
      )
      try {
        await books.trades('b1,2025-12-30T12:00:00Z,main,buy,BTC,2,USD,190,,')
        await books.import('prices', `${lines.join('\n')}\n`, 'prices.csv', { ...BTC, ...told })
        await books.build()
        expect(
          await books.query(
            "select day, price, value from daily_valuation where coin = 'BTC' and day <= '2025-12-31' order by day",
          ),
        ).toEqual([
          ['2025-12-30', '100', '200'],
          ['2025-12-31', '110', '220'],
        ])
      } finally {
        books.close()
      }
    },
    60_000,
  )
})

it('a price has a time to the microsecond, and one that is more precise is refused, not cut', () => {
  const times = (time: string): unknown[] =>
    pricesFormat
      .read({ name: 'prices.csv', bytes: Buffer.from(`time,asset,currency,price\n${time},BTC,USD,5\n`) })
      .map(({ values }) => values[0])
  expect(times('2025-01-01T00:00:00.000001Z')).toEqual([1_735_689_600_000_001n])
  expect(refusal(() => times('2025-01-01T00:00:00.0000001Z'))).toMatchObject({
    message: 'A time is more precise than prices are stored.',
    details: { where: 'prices.csv:2, column time' },
  })
})

it('a file without a header is recognised by the number of its columns, a time and a price', () => {
  const own = mapping(`
name: mine
columns: [at, close]
header: none
time: { column: at, forms: [unix] }
price: close
`)
  const options = { ...BTC, mapping: own }
  expect(read(['1735689600,5', '1735693200,6'], options)).toEqual([
    '2025-01-01T00:00:00.000Z,BTC,USD,5,mine',
    '2025-01-01T01:00:00.000Z,BTC,USD,6,mine',
  ])
  for (const line of ['1735689600,5,7', '1735689600', '17356896,5', '1735689600,close'])
    expect(refusal(() => read([line], options)).message).toBe('Unexpected header.')
})
