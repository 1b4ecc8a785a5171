// Exports of other services, read by the mappings that ship. The samples have the services' columns and words with
// numbers of our own; what is expected is worked out by hand.
import { describe, expect, it } from 'vitest'
import type { RefusedCells } from '../../pipeline/imports/refusals.ts'
import { KRAKEN, type Options, readExports, refusal } from './service-exports.ts'

const { read, rows } = readExports()

describe('Kraken’s ledgers', () => {
  const of = (...lines: string[]) => rows([KRAKEN, ...lines], { account: 'kraken' })

  it('make one trade of the rows of a refid, with the fee added, whichever side has it', () => {
    expect(
      of(
        '"L1","T1","2024-03-01 09:30:15","trade","tradespot","currency","ZEUR","-1000.0000","2.6000","0"',
        '"L2","T1","2024-03-01 09:30:15","trade","tradespot","currency","XXBT","0.0200000000","0.0000000000","0.02"',
        '"L3","T2","2024-03-02 10:00:00.1234","trade","","currency","XXBT","-0.0100000000","0","0.01"',
        '"L4","T2","2024-03-02 10:00:00.1234","trade","","currency","ZEUR","600.0000","1.5","600"',
        '"L5","T3","2024-03-03 11:00:00","spend","","currency","ZEUR","-99.5","0.5","500"',
        '"L6","T3","2024-03-03 11:00:00","receive","","currency","DOT.S","10","0.1","9.9"',
      ),
    ).toEqual([
      'kraken-ledgers-T1,2024-03-01T09:30:15Z,kraken,buy,BTC,0.02,EUR,1000,2.6,EUR',
      'kraken-ledgers-T2,2024-03-02T10:00:00.123Z,kraken,sell,BTC,0.01,EUR,600,1.5,EUR',
      // Fees in two coins: two halves of the trade, each with one of them.
      'kraken-ledgers-T3,2024-03-03T11:00:00Z,kraken,buy,DOT,5,EUR,49.75,0.5,EUR',
      'kraken-ledgers-T3-fee-2,2024-03-03T11:00:00Z,kraken,buy,DOT,5,EUR,49.75,0.1,DOT',
    ])
  })

  it.each(['a/b', 'main/before', ' kraken', 'kra\nken', 'kraken\u200b', 'k'.repeat(65)])(
    'are of an account with a valid name, and not of %j',
    (account) => {
      expect(refusal(() => rows([KRAKEN], { account }))).toMatchObject({
        message: 'Invalid account name.',
        details: { where: '--account', found: account },
      })
    },
  )

  it('make a trade of two coins in terms of the better measure, and accept fees in credits', () => {
    expect(
      of(
        '"L1","T1","2024-03-01 09:30:15","trade","","currency","XETH","-1","0","0"',
        '"L2","T1","2024-03-01 09:30:15","trade","","currency","USDT","3000","0","3000"',
        '"L3","T1","2024-03-01 09:30:15","trade","","currency","KFEE","0","520","0"',
        '"L4","T2","2024-03-01 09:31:15","trade","","currency","XXBT","0.05","0","0.05"',
        '"L5","T2","2024-03-01 09:31:15","trade","","currency","USDT","-3000","0","0"',
      ),
    ).toEqual([
      'kraken-ledgers-T1,2024-03-01T09:30:15Z,kraken,sell,ETH,1,USDT,3000,520,KFEE',
      'kraken-ledgers-T2,2024-03-01T09:31:15Z,kraken,buy,BTC,0.05,USDT,3000,0,',
    ])
  })

  it('distinguish deposits, withdrawals and reversals by the sign, and rewards', () => {
    expect(
      of(
        '"LA","Q1","2024-01-01 00:00:00","deposit","","currency","ZEUR","500","0","500"',
        '"LB","Q2","2024-01-02 00:00:00","withdrawal","","currency","XXBT","-0.1","0.0005","0"',
        '"LC","Q2","2024-01-03 00:00:00","withdrawal","","currency","XXBT","0.1","-0.0005","0.1005"',
        '"LD","S1","2024-01-04 00:00:00","earn","reward","currency","ETH2.S","0.001","0.0002","1"',
      ),
    ).toEqual([
      'kraken-ledgers-LA:in,2024-01-01T00:00:00Z,kraken,transfer_in,EUR,500,,,0,',
      'kraken-ledgers-LB:out,2024-01-02T00:00:00Z,kraken,transfer_out,BTC,0.1,,,0.0005,BTC',
      'kraken-ledgers-LC:in,2024-01-03T00:00:00Z,kraken,transfer_in,BTC,0.1,,,-0.0005,BTC',
      'kraken-ledgers-LD,2024-01-04T00:00:00Z,kraken,income,ETH,0.001,,,0.0002,ETH',
    ])
  })

  it('include airdrops, and staked coins by their own names, whatever days they are locked for', () => {
    expect(
      of(
        '"LA","A1","2024-01-04 00:00:00","transfer","airdrop","currency","SGB","40","0","40"',
        '"LB","A2","2024-01-05 00:00:00","earn","airdrop","currency","SGB","12","0","52"',
        '"LC","A3","2024-01-06 00:00:00","staking","","currency","GRT28.S","3","0","3"',
      ),
    ).toEqual([
      'kraken-ledgers-LA,2024-01-04T00:00:00Z,kraken,income,SGB,40,,,0,',
      'kraken-ledgers-LB,2024-01-05T00:00:00Z,kraken,income,SGB,12,,,0,',
      'kraken-ledgers-LC,2024-01-06T00:00:00Z,kraken,income,GRT,3,,,0,',
    ])
    const error = refusal(() =>
      of('"LA","A1","2024-01-04 00:00:00","transfer","delistingconversion","currency","NANO","-30","0","0"'),
    )
    expect(error.details.found).toBe('transfer/delistingconversion')
  })

  it('state how many rows are left out, and what movements within the account leave over', () => {
    const { aside } = read(
      [
        KRAKEN,
        '"","Q1","2024-01-01 00:00:00","deposit","","currency","ZEUR","500","0",""',
        '"L1","E1","2024-01-02 00:00:00","earn","allocation","currency","DOT","-10","0","0"',
        '"L2","E1","2024-01-02 00:00:00","earn","allocation","currency","DOT.S","10","0","10"',
        '"L3","E2","2024-01-03 00:00:00","transfer","spottostaking","currency","DOT","-2","0","0"',
      ],
      { account: 'kraken' },
    )
    expect(aside).toEqual([
      { what: 'requests that Kraken never booked (no txid)', rows: 1, left: [] },
      { what: 'earn/allocation', rows: 2, left: [] },
      { what: 'transfer/spottostaking', rows: 1, left: [{ asset: 'DOT', amount: -2n * 10n ** 18n }] },
    ])
  })

  it('are refused with every row whose word is unknown or whose trade is incomplete', () => {
    const error = refusal(() =>
      of(
        '"L1","T1","2024-03-01 09:30:15","margin","","currency","ZEUR","-1","0","0"',
        '"L2","T2","2024-03-01 09:30:15","transfer","","currency","BCH","1","0","1"',
        '"L3","T3","2024-02-30 09:30:15","deposit","","currency","","1,5","0","1"',
      ),
    )
    expect(error.describe().split('\n')).toEqual(
      [
        '5 cells of the file cannot be read.',
        '  export.csv:2, column type: The mapping does not define what this row is. Expected a word of the mapping kraken-ledgers, such as trade/; found margin/.',
        expect.stringContaining('  export.csv:3, column type: The mapping does not define what this row is'),
        '  export.csv:4, column time: Invalid time. Expected a time such as YYYY-MM-DD HH:mm:ss or YYYY-MM-DD HH:mm:ss.S; found a date that does not exist: 2024-02-30 09:30:15.',
        '  export.csv:4, column amount: Not a plain decimal. Expected an amount such as 1234.5; found 1,5.',
        expect.stringContaining('  export.csv:4, column asset: Invalid coin or currency code.'),
        expect.stringContaining('  next:     Correct them'),
      ].toSpliced(4, 0),
    )
    // The service's own words are right: only a mapping can say what they mean.
    for (const count of [1, 2]) {
      const unknown = refusal(() =>
        of(
          ...['T1', 'T2']
            .slice(0, count)
            .map((id) => `"L${id}","${id}","2024-03-01 09:30:15","transfer","","currency","BCH","1","0","1"`),
        ),
      )
      expect(unknown.details.action).toContain('--mapping')
    }
    const half = refusal(() =>
      of(
        '"L1","T1","2024-03-01 09:30:15","trade","","currency","ZEUR","-1","0","0"',
        '"L2","T2","2024-03-01 09:30:15","trade","","currency","XXBT","1","0","0"',
        '"L3","T2","2024-03-01 09:30:15","trade","","currency","XETH","1","0","0"',
      ),
    )
    expect(half.describe()).toContain(
      'export.csv:2, column asset: These rows do not form a trade of one coin for another.',
    )
    expect(half.describe()).toContain('found BTC 1, ETH 1 in lines 3, 4.')
  })
})

describe('Coinbase’s transactions', () => {
  const HEADER =
    'ID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,' +
    'Total (inclusive of fees and/or spread),Fees and/or Spread,Notes'
  const of = (...lines: string[]) =>
    rows(['', 'Transactions', 'User,Jo,0000-0000', HEADER, ...lines], { account: 'coinbase' })

  it('are found below the rows about the user, with currency signs and thousands separators', () => {
    expect(
      of(
        'a1,2024-01-05 10:00:00 UTC,Buy,BTC,0.1,EUR,"€40,000.00","€4,000.00","€4,059.60",€59.60,"Bought 0.1 BTC for €4,059.60 EUR"',
        'a2,2024-01-06 10:00:00 UTC,Sell,BTC,-0.05,EUR,€42000,-€2100.00,-€2069.00,€31.00,Sold 0.05 BTC for €2069.00 EUR',
        'a3,2024-01-07 10:00:00 UTC,Staking Income,ETH,0.002,EUR,€2000,€4.00,€4.00,€0.00,',
        'a4,2024-01-08 10:00:00 UTC,Send,BTC,-0.01,EUR,€43000,-€430.00,-€430.00,€0.00,Sent 0.01 BTC to bc1q',
        'a5,2024-01-09 10:00:00 UTC,Receive,BTC,0.02,EUR,€43000,€860.00,€860.00,€0.00,Received 0.02 BTC',
        'a6,2024-01-10 10:00:00 UTC,Deposit,EUR,500,EUR,€1.00,€500.00,€500.00,€0.00,Deposited',
      ),
    ).toEqual([
      'coinbase-a1,2024-01-05T10:00:00Z,coinbase,buy,BTC,0.1,EUR,4000,59.6,EUR',
      'coinbase-a2,2024-01-06T10:00:00Z,coinbase,sell,BTC,0.05,EUR,2100,31,EUR',
      'coinbase-a3,2024-01-07T10:00:00Z,coinbase,income,ETH,0.002,EUR,4,0,',
      'coinbase-a4:out,2024-01-08T10:00:00Z,coinbase,transfer_out,BTC,0.01,,,0,',
      'coinbase-a5:in,2024-01-09T10:00:00Z,coinbase,transfer_in,BTC,0.02,,,0,',
      'coinbase-a6:in,2024-01-10T10:00:00Z,coinbase,transfer_in,EUR,500,,,0,',
    ])
  })

  it('take what was paid from the notes if it was not in the currency of the prices', () => {
    expect(
      of(
        'b1,2024-02-01 10:00:00 UTC,Convert,BTC,0.05,EUR,€40000,€2000.00,€2000.00,€0.00,Converted 0.05 BTC to 0.9 ETH',
        'b2,2024-02-02 10:00:00 UTC,Advanced Trade Buy,BTC,0.1,EUR,€40000,€4000,€4010,€10,"Bought 0.1 BTC for 4,310.5 USDC on BTC-USDC at 43000 USDC/BTC"',
        'b3,2024-02-03 10:00:00 UTC,Advanced Trade Sell,BTC,0.1,EUR,€41000,€4100,€4090,€10,Sold 0.1 BTC for 4090 EUR on BTC-EUR at 41000 EUR/BTC',
      ),
    ).toEqual([
      'coinbase-b1,2024-02-01T10:00:00Z,coinbase,buy,ETH,0.9,BTC,0.05,0,',
      'coinbase-b2,2024-02-02T10:00:00Z,coinbase,buy,BTC,0.1,USDC,4310.5,0,',
      'coinbase-b3,2024-02-03T10:00:00Z,coinbase,sell,BTC,0.1,EUR,4100,10,EUR',
    ])
    const error = refusal(() =>
      of('b1,2024-02-01 10:00:00 UTC,Convert,BTC,0.05,EUR,€40000,€2000.00,€2000.00,€0.00,Converted'),
    )
    expect(error.details).toMatchObject({ where: 'export.csv:5, column Notes', found: 'Converted' })
  })

  it('of earlier years have no id: it is made from the contents of the row, however it is written', () => {
    const older = HEADER.replace('ID,', '')
      .replaceAll('Price', 'Spot Price')
      .replace('Spot Price at', 'Spot Price at')
    const line = (amount: string) =>
      `2021-01-05T10:00:00Z,Buy,BTC,${amount},USD,30000,300.00,305.00,5.00,Bought 0.01 BTC for $305.00 USD`
    const [first, again] = [
      rows([older, line('0.01')], { account: 'a' }),
      rows([older, line('0.010'), line('0.01')], { account: 'a' }),
    ]
    expect(first[0]).toMatch(/^coinbase-[0-9a-f]{24},2021-01-05T10:00:00Z,a,buy,BTC,0.01,USD,300,5,USD$/)
    expect(again[0]).toBe(first[0])
    expect(again[1]).toMatch(/^coinbase-[0-9a-f]{24}-2,/)
  })
})

describe('Binance’s transaction history', () => {
  const HEADER = 'User_ID,UTC_Time,Account,Operation,Coin,Change,Remark'
  const of = (...lines: string[]) =>
    rows([HEADER, ...lines], { account: 'binance' }).map((row) =>
      row.replace(/binance-statement-[0-9a-f]{24}/, 'ID'),
    )

  describe('with the present header', () => {
    const NEWER = '\uFEFFUser ID,Time,Account,Operation,Coin,Change,Remark'
    const lines = (...times: string[]) => [
      `1,${times[0]},Spot,Transaction Spend,USDT,-60.00000000,`,
      `1,${times[0]},Spot,Transaction Buy,ETH,0.02000000,`,
      `1,${times[0]},Spot,Transaction Fee,BNB,-0.0001,`,
      `1,${times[1]},Spot,Withdraw,ETH,-0.01,Withdraw fee is included`,
    ]
    const older = rows([HEADER, ...lines('2024-05-16 21:57:55', '24-05-17 10:00:00')], { account: 'binance' })

    it.each([
      ['UTC+3', ['24-05-17 00:57:55', '2024-05-17 13:00:00']],
      ['UTC-6', ['24-05-16 15:57:55', '24-05-17 04:00:00']],
      ['UTC+0', ['24-05-16 21:57:55', '24-05-17 10:00:00']],
      ['Asia/Kolkata', ['24-05-17 03:27:55', '24-05-17 15:30:00']],
    ])('is read with the zone in its name (%s): rows and ids are those of an older export', (zone, times) => {
      expect(rows([NEWER, ...lines(...times)], { account: 'binance', zone })).toEqual(older)
    })

    it('is refused without a zone, and the older one with another than its own', () => {
      expect(refusal(() => rows([NEWER], { account: 'binance' }))).toMatchObject({
        message: 'The file does not state the time zone of its times.',
        details: { where: '--zone', expected: expect.stringContaining('UTC+2') },
      })
      expect(refusal(() => rows([HEADER], { account: 'binance', zone: 'UTC+3' })).details.where).toBe(
        '--zone',
      )
      for (const zone of ['UTC+15', 'UTC+5:30', 'UTC+', 'utc3'])
        expect(refusal(() => rows([NEWER], { account: 'binance', zone })).details.found).toBe(zone)
    })
  })

  it('makes one trade of all fills in a second, in any order, with fees in several coins', () => {
    expect(
      of(
        '1,2024-05-16 12:57:55,Spot,Transaction Spend,USDT,-60.00000000,""',
        '1,2024-05-16 12:57:55,Spot,Transaction Fee,BNB,-0.0001,""',
        '1,2024-05-16 12:57:55,Spot,Transaction Buy,ETH,0.02000000,""',
        '1,2024-05-16 12:57:55,Spot,Transaction Buy,ETH,0.01000000,""',
        '1,2024-05-16 12:57:55,Spot,Transaction Fee,ETH,-1E-5,""',
        '1,2024-05-16 12:57:55,Spot,Transaction Spend,USDT,-30.00000001,""',
        '1,24-05-16 12:58:00,Spot,Transaction Sold,ETH,-0.01,""',
        '1,24-05-16 12:58:00,Spot,Transaction Revenue,USDT,31,""',
        '1,2024-05-17 00:00:00,Spot,Binance Convert,BTC,0.001,',
        '1,2024-05-17 00:00:00,Spot,Buy,ETH,1,',
        '1,2024-05-17 00:00:00,Spot,Binance Convert,EUR,-60,',
        '1,2024-05-17 00:00:00,Spot,Buy,BTC,-0.05,',
      ),
    ).toEqual([
      'ID,2024-05-16T12:57:55Z,binance,buy,ETH,0.015,USDT,45.000000005,0.0001,BNB',
      'ID-fee-2,2024-05-16T12:57:55Z,binance,buy,ETH,0.015,USDT,45.000000005,0.00001,ETH',
      'ID,2024-05-16T12:58:00Z,binance,sell,ETH,0.01,USDT,31,0,',
      'ID,2024-05-17T00:00:00Z,binance,buy,BTC,0.001,EUR,60,0,',
      'ID,2024-05-17T00:00:00Z,binance,buy,ETH,1,BTC,0.05,0,',
    ])
  })

  it('has transfers, income and movements between wallets; two pairs in one second are refused', () => {
    expect(
      of(
        '1,2024-01-01 00:00:00,Spot,Deposit,BTC,1,',
        '1,2024-01-02 00:00:00,Spot,Withdraw,BTC,-0.5,Withdraw fee is included',
        '1,2024-01-03 00:00:00,Spot,Simple Earn Flexible Interest,USDT,0.5,',
        '1,2024-01-03 00:00:00,Earn,Simple Earn Flexible Interest,USDT,0.5,',
        '1,2024-01-04 00:00:00,Spot,Transfer Between Main and Funding Wallet,USDT,-5,',
      ),
    ).toEqual([
      'ID:in,2024-01-01T00:00:00Z,binance,transfer_in,BTC,1,,,0,',
      'ID:out,2024-01-02T00:00:00Z,binance,transfer_out,BTC,0.5,,,0,',
      'ID,2024-01-03T00:00:00Z,binance,income,USDT,0.5,,,0,',
      'ID-2,2024-01-03T00:00:00Z,binance,income,USDT,0.5,,,0,',
    ])
    const error = refusal(() =>
      of(
        '1,2024-05-17 00:00:00,Spot,Buy,ETH,1,',
        '1,2024-05-17 00:00:00,Spot,Buy,EUR,-3000,',
        '1,2024-05-17 00:00:00,Spot,Sell,SOL,-1,',
        '1,2024-05-17 00:00:00,Spot,Sell,USDT,150,',
        '1,2024-05-18 00:00:00,Spot,Fee,BNB,-1,',
      ),
    )
    expect(error.describe()).toContain('found ETH 1, USDT 150, EUR -3000, SOL -1 in lines 2, 3, 4, 5.')
    expect(error.describe()).toContain('export.csv:6, column Coin')
    expect(error.describe()).toContain('found only a fee.')
  })

  it('recognises purchases with money, payments by card and free receipts by the names in newer exports', () => {
    expect(
      of(
        '1,2025-04-14 12:08:32,Spot,Fiat OCBS - Add Fiat and Fees,EUR,10,',
        '1,2025-04-14 12:08:33,Spot,Buy Crypto With Fiat,EUR,-10,',
        '1,2025-04-14 12:08:33,Spot,Buy Crypto With Fiat,ETH,0.005,',
        '1,2025-04-15 00:00:00,Card,Binance Card Spending,BNB,-0.02,',
        '1,2025-04-16 00:00:00,Card,Binance Card Cashback,BNB,0.001,',
        '1,2025-04-17 00:00:00,Spot,Launchpool Airdrop - System Distribution,XYZ,7,',
        '1,2025-04-18 00:00:00,Spot,Launchpool Airdrop - User Claim Distribution,XYZ,8,',
        '1,2025-04-19 00:00:00,Spot,Cash Voucher,USDT,1,',
        '1,2025-04-20 00:00:00,Spot,Cashback Voucher,USDT,2,',
        '1,2025-04-21 00:00:00,Spot,Campaign Related Reward,USDT,3,',
        '1,2025-04-22 00:00:00,Spot,Strategy Trading Fee Rebate,USDT,4,',
        '1,2025-04-23 00:00:00,Spot,Transfer Between Spot and Strategy Account,USDT,-5,',
        '1,2025-04-24 00:00:00,Pool,Transfer Between Main And Mining Account,BTC,-6,',
      ),
    ).toEqual([
      'ID:in,2025-04-14T12:08:32Z,binance,transfer_in,EUR,10,,,0,',
      'ID,2025-04-14T12:08:33Z,binance,buy,ETH,0.005,EUR,10,0,',
      'ID,2025-04-15T00:00:00Z,binance,sell,BNB,0.02,,,0,',
      'ID,2025-04-16T00:00:00Z,binance,income,BNB,0.001,,,0,',
      'ID,2025-04-17T00:00:00Z,binance,income,XYZ,7,,,0,',
      'ID,2025-04-18T00:00:00Z,binance,income,XYZ,8,,,0,',
      'ID,2025-04-19T00:00:00Z,binance,income,USDT,1,,,0,',
      'ID,2025-04-20T00:00:00Z,binance,income,USDT,2,,,0,',
      'ID,2025-04-21T00:00:00Z,binance,income,USDT,3,,,0,',
      'ID,2025-04-22T00:00:00Z,binance,income,USDT,4,,,0,',
    ])
  })

  it.each([
    'P2P Trading',
    'Crypto Box',
    'Asset Recovery',
    'Token Swap - Distribution',
    'Token Swap - Redenomination/Rebranding',
    'Funding Fee',
    'Insurance Fund Compensation',
  ])('refuses %s, which does not determine what happened', (word) => {
    const error = refusal(() => of(`1,2025-04-14 12:08:32,Spot,${word},BTC,1,`))
    expect(error.details.found).toBe(word)
  })

  it.each([
    ['Launchpool Airdrop - System Distribution', '-1'],
    ['Cashback Voucher', '-1'],
    ['Binance Card Spending', '1'],
  ])('refuses %s that moves the other way (%s)', (word, change) => {
    const error = refusal(() => of(`1,2025-04-14 12:08:32,Spot,${word},BTC,${change},`))
    expect(error.describe()).toContain('The sign of an amount contradicts its word.')
  })

  it('overlapping another export gives the same rows the same ids', () => {
    const fills = [
      '1,2024-05-16 12:57:55,Spot,Buy,USDT,-60,',
      '1,2024-05-16 12:57:55,Spot,Buy,ETH,0.02,',
      '1,2024-05-17 12:57:55,Spot,Distribution,ADA,3,',
    ]
    const ids = (lines: readonly string[]) =>
      rows([HEADER, ...lines], { account: 'x' }).map((row) => row.split(',')[0] ?? '')
    const before = ids(fills)
    const after = ids(['1,2024-05-15 12:57:55,Spot,Distribution,ADA,3,', ...fills.toReversed()])
    expect(after).toEqual(expect.arrayContaining(before))
    expect(new Set(after).size).toBe(3)
  })
})

describe('Koinly’s transactions', () => {
  const COLUMNS = [
    ...[
      'ID (read-only)',
      'Parent ID (read-only)',
      'Date (UTC)',
      'Type',
      'Tag',
      'From Wallet (read-only)',
      'From Wallet ID',
    ],
    ...[
      'From Amount',
      'From Currency',
      'To Wallet (read-only)',
      'To Wallet ID',
      'To Amount',
      'To Currency',
      'Fee Amount',
    ],
    ...[
      'Fee Currency',
      'Net Value (read-only)',
      'Value Currency (read-only)',
      'Deleted',
      'TxHash',
      'Description',
    ],
  ]
  const row = (cells: Readonly<Record<string, string>>) =>
    COLUMNS.map((name) => ({ Deleted: 'false', ...cells })[name] ?? '').join(',')
  const wallets = { 'From Wallet (read-only)': 'Kraken;kraken', 'To Wallet (read-only)': 'Ledger;btc' }

  it('have two legs for a transfer between wallets, values for income, and rows deleted there', () => {
    const lines = [
      row({
        ...{ 'ID (read-only)': 'K1', 'Date (UTC)': '2023-01-01 00:00:00', Type: 'transfer', ...wallets },
        ...{ 'From Amount': '1.0', 'From Currency': 'BTC;1', 'To Amount': '0.9999', 'To Currency': 'BTC;1' },
        ...{ 'Fee Amount': '0.0', 'Fee Currency': '' },
      }),
      row({
        ...{ 'ID (read-only)': 'K2', 'Date (UTC)': '2023-01-02 00:00:00', Type: 'deposit', Tag: 'Reward' },
        ...{
          'To Wallet (read-only)': 'Kraken;kraken',
          'To Amount': '2.0',
          'To Currency': 'DOT;9',
          'From Amount': '0.0',
        },
        ...{ 'Net Value (read-only)': '12.5', 'Value Currency (read-only)': 'EUR;11' },
      }),
      row({
        ...{ 'ID (read-only)': 'K3', 'Date (UTC)': '2023-01-03 00:00:00', Type: 'trade' },
        ...{ 'From Wallet (read-only)': 'Kraken;kraken', 'To Wallet (read-only)': 'Kraken;kraken' },
        ...{
          'From Amount': '500.0',
          'From Currency': 'GBP;12',
          'To Amount': '350.0',
          'To Currency': 'KNC;1841',
        },
        ...{ 'Fee Amount': '7.34', 'Fee Currency': 'GBP;12' },
      }),
      row({
        ...{ 'ID (read-only)': 'K4', 'Date (UTC)': '2023-01-04 00:00:00', Type: 'withdrawal', Tag: 'cost' },
        ...{ 'From Wallet (read-only)': 'Ledger;btc', 'From Amount': '0.01', 'From Currency': 'BTC;1' },
        ...{ 'Net Value (read-only)': '200', 'Value Currency (read-only)': 'EUR;11' },
      }),
      row({ 'ID (read-only)': 'K5', 'Date (UTC)': '2023-01-05 00:00:00', Type: 'trade', Deleted: 'true' }),
    ]
    expect(rows([COLUMNS.join(','), ...lines])).toEqual([
      'koinly-K1:out,2023-01-01T00:00:00Z,Kraken,transfer_out,BTC,1,,,0,',
      'koinly-K1:in,2023-01-01T00:00:00Z,Ledger,transfer_in,BTC,0.9999,,,0,',
      'koinly-K2,2023-01-02T00:00:00Z,Kraken,income,DOT,2,EUR,12.5,0,',
      'koinly-K3,2023-01-03T00:00:00Z,Kraken,buy,KNC,350,GBP,500,7.34,GBP',
      // Spent: a disposal at its value then, which the prices of the books tell.
      'koinly-K4,2023-01-04T00:00:00Z,Ledger,sell,BTC,0.01,,,0,',
    ])
    expect(read([COLUMNS.join(','), ...lines]).aside).toMatchObject([{ rows: 1 }])
  })

  it('whose amounts contradict their word are refused', () => {
    const line = row({
      ...{ 'ID (read-only)': 'K1', 'Date (UTC)': '2023-01-01 00:00:00', Type: 'deposit', ...wallets },
      ...{ 'From Amount': '1.0', 'From Currency': 'BTC;1', 'To Amount': '1', 'To Currency': 'ETH;1' },
    })
    expect(refusal(() => rows([COLUMNS.join(','), line])).details).toMatchObject({
      where: 'export.csv:2, column Type',
      expected: 'an amount received and none sent',
      found: 'an amount received and an amount sent',
    })
  })
})

describe('CoinTracking’s transactions', () => {
  const HEADER = '"Type","Buy","Cur.","Sell","Cur.","Fee","Cur.","Exchange","Group","Comment","Date","Tx-ID"'
  const of = (lines: readonly string[], options: Options = { zone: 'Europe/Berlin' }) =>
    rows([HEADER, ...lines], options).map((row) => row.replace(/cointracking-[0-9a-f]{24}/, 'ID'))

  it('include fees in their amounts, except in a third coin, and times in a zone', () => {
    expect(
      of([
        '"Trade","1.00000000","BTC","505.00","USD","5.00","USD","Kraken","","","01.07.2019 13:00:00",""',
        '"Trade","0.99","BTC","500","USD","0.01","BTC","Kraken","","","01.01.2020 13:00",""',
        '"Trade","1","BTC","500","USD","0.02","BNB","Binance","","","2020-01-02 13:00:00",""',
        '"Other Fee","-","","0.02","BNB","","","Binance","","","02.01.2020 13:00:00",""',
        '"Withdrawal","-","","1.001","BTC","0.001","BTC","Kraken","","","03.01.2020 13:00:00","h1"',
        '"Deposit","1","BTC","-","","","","Ledger","","","03.01.2020 13:00:00","h1"',
        '"Gift/Tip","0.5","ETH","-","","","","Ledger","","","04.01.2020 13:00:00",""',
      ]),
    ).toEqual([
      'ID,2019-07-01T11:00:00Z,Kraken,buy,BTC,1,USD,500,5,USD',
      'ID,2020-01-01T12:00:00Z,Kraken,buy,BTC,1,USD,500,0.01,BTC',
      'ID,2020-01-02T12:00:00Z,Binance,buy,BTC,1,USD,500,0,',
      'ID,2020-01-02T12:00:00Z,Binance,sell,BNB,0.02,,,0,',
      'ID:out,2020-01-03T12:00:00Z,Kraken,transfer_out,BTC,1,,,0.001,BTC',
      'ID:in,2020-01-03T12:00:00Z,Ledger,transfer_in,BTC,1,,,0,',
      'ID,2020-01-04T12:00:00Z,Ledger,gift_in,ETH,0.5,,,0,',
    ])
  })

  it('whose fee takes up all of its amount, or is a rebate of everything received, are refused: no coin moves', () => {
    const lines = [
      HEADER,
      '"Withdrawal","-","","0.0005","BTC","0.0005","BTC","Kraken","","","03.01.2020 13:00:00",""',
      '"Trade","1","ETH","0.01","BTC","0.02","BTC","Kraken","","","03.01.2020 14:00:00",""',
      '"Deposit","0.1","BTC","-","","-0.1","BTC","Kraken","","","03.01.2020 15:00:00",""',
      '"Deposit","0.1","BTC","-","","-0.01","BTC","Kraken","","","03.01.2020 16:00:00",""',
    ]
    const { refusals } = refusal(() => read(lines, { zone: 'UTC' })) as RefusedCells
    expect(refusals.map(({ line, column, message, found }) => [line, column, message, found])).toEqual([
      [2, 'Fee', 'A fee consumes the whole amount that it is part of.', '0.0005'],
      [3, 'Fee', 'A fee consumes the whole amount that it is part of.', '0.02'],
      [4, 'Fee', 'A fee consumes the whole amount that it is part of.', '-0.1'],
    ])
    // What the journal has stays readable.
    expect(read(lines, { zone: 'UTC' }, 'journaled').rows).toHaveLength(4)
  })

  it('are read with the clocks of the zone: an hour that is skipped does not exist, and one that is repeated is the first', () => {
    const at = (time: string) => [`"Income","1","ETH","","","","","X","","","${time}",""`]
    expect(of(at('27.10.2019 02:30:00'))[0]).toContain('2019-10-27T00:30:00Z')
    expect(of(at('27.10.2019 03:00:00'))[0]).toContain('2019-10-27T02:00:00Z')
    expect(refusal(() => of(at('31.03.2019 02:30:00'))).details.found).toBe(
      'a time that the clocks of Europe/Berlin skip: 31.03.2019 02:30:00',
    )
  })

  it('need the zone; it is not guessed, and one that does not exist is refused', () => {
    expect(refusal(() => of([], {})).message).toBe('The file does not state the time zone of its times.')
    expect(refusal(() => of([], { zone: 'Europe/Berlim' })).message).toBe('Unknown time zone.')
  })
})
