// An account that was renamed in the configuration: the books have it twice, and say so.
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestBooks } from '../support/books.ts'

let books: TestBooks

beforeEach(async () => {
  books = await TestBooks.open({ only: ['balances', 'checks.shared_uid'] })
})

afterEach(async () => {
  await books.close()
})

const ts = '2026-01-05 10:00:00+00'

const read = (account: string): Promise<number> =>
  books.tax('SPOT', [{ id: '7', coin: 'USDT', type: 'TRANSFER_IN', amount: '130', balance: '130', ts }], {
    account,
    covers: ['2026-01-01 00:00:00+00', '2026-01-10 00:00:00+00'],
  })

test('one uid under two names counts twice: a warning with the first name and how to remove the second', async () => {
  await books.account('zoe', 'unified', '2000')
  await books.account('other', 'unified', '3000')
  await read('zoe')
  await read('other')
  expect((await books.build()).openBreaks).toEqual([])

  await books.account('desk', 'unified', '2000')
  expect((await books.build()).openBreaks).toEqual([])

  await read('desk')
  const { openBreaks } = await books.build()
  expect(await books.query('select account, quantity from balances order by account')).toEqual([
    ['desk', '130'],
    ['other', '130'],
    ['zoe', '130'],
  ])
  expect(openBreaks).toMatchObject([
    {
      checkName: 'shared_uid',
      severity: 'warning',
      account: 'desk',
      explanation:
        'desk is the same account as zoe (uid 2000): what was read under both names is counted twice. ' +
        'Name it zoe in the configuration, then erase the second reading: `tieout erase --account desk` shows it, ' +
        '`--yes` erases it.',
    },
  ])
})
