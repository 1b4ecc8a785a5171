// One text of a model for DuckDB and ClickHouse: every model keeps the rules of portable-rules.ts, and each rule catches
// what it is there for.
import { relative } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../pipeline/config/root.ts'
import { generatedModels } from '../../pipeline/ledger/generated.ts'
import { shippedModels } from '../../pipeline/ledger/models.ts'
import { unportable } from './portable-rules.ts'

const instance = await DuckDBInstance.create()
const connection = await instance.connect()
afterAll(() => {
  connection.closeSync()
  instance.closeSync()
})

test('every model is portable, generated ones included', async () => {
  const models = [
    ...shippedModels(),
    ...generatedModels({ publishPersonalData: false }),
    ...generatedModels({ publishPersonalData: true }),
  ]
  const wrong: string[] = []
  for (const { file, select } of models)
    for (const problem of await unportable(connection, select))
      wrong.push(`${relative(packageRoot, file)}: ${problem}`)
  expect([...new Set(wrong)]).toEqual([])
})

/** A select that a rule is there to refuse, with the words of its message that tell it from others. */
const refused: readonly (readonly [string, string])[] = [
  // Functions and operators.
  ['select a // b as c from main.entries', '`//` begins a comment: write exact_divide'],
  ['select amount % 1 as part from main.entries', 'the remainder of a decimal is another one in ClickHouse'],
  ['select a / b as c from main.entries', 'a quotient is a double: write exact_divide'],
  [
    'select quantity * price as worth from main.trades',
    'a product of two columns overflows without an error: write exact_multiply',
  ],
  ["select item ->> '$.uid' as uid from main.ltv", 'write json_field(x, name)'],
  ['select from_json(items, \'["JSON"]\') as list from main.ltv', 'write json_items(x)'],
  ["select strftime(day, '%Y') as text from main.calendar", 'strftime: write time_text(t)'],
  ["select date_trunc('hour', occurred_at) as hour from main.entries", 'date_trunc: write utc_hour'],
  ["select occurred_at at time zone 'UTC' as at from main.entries", 'timezone: write utc_day(t)'],
  [
    "select regexp_replace(type, 'a', 'b') as word from main.entries",
    'regexp_replace: write canonical_word(x)',
  ],
  ["select coin like 'a!%' escape '!' as is_so from main.entries", 'like_escape: write like_pattern(x, p)'],
  ["select concat_ws('/', feed, id) as key from main.entries", 'concat_ws with a null is null in ClickHouse'],
  ['select avg(amount) as mean from main.entries', 'avg: a mean is a double'],
  ['select arg_min(coin, place) as first from main.entries', 'arg_min: write min_by(x, k)'],
  ['select min(coin, 5) as coins from main.entries', 'min(x, n): write first_by(x, x, n)'],
  ['select median(amount) as middle from main.entries', 'median: not known to be the same in ClickHouse'],
  ["select {'a': coin} as pair from main.entries", 'struct_pack: a struct has no counterpart'],
  [
    'select list_transform(ids, lambda id: id) as ids from main.entries',
    'a lambda: give what it does a name',
  ],
  ['select ids[1:10] as ids from main.entries', 'a part of a list, l[a:b]: write first_of(l, n)'],
  ["select replace(coin, '_', '\\_') as pattern from main.entries", 'a backslash in a text'],
  // Aggregates.
  ['select list(coin order by place) as coins from main.entries', 'list: write ordered_list(x, k)'],
  [
    'select any_value(coin order by place) as coin from main.entries',
    'any_value(… order by …): write ordered_list',
  ],
  [
    "select string_agg(coin, ', ' order by place) as coins from main.entries",
    'string_agg: write joined_list',
  ],
  ['select sum(distinct amount) as total from main.entries', 'sum(distinct …): write distinct_list'],
  [
    "select count(*) filter (where coin = 'BTC') as some from main.entries",
    'filter: write case when … end within it',
  ],
  // Windows.
  [
    'select lag(amount) over (order by place) as before from main.entries',
    'lag without its third argument is 0 past the edge',
  ],
  [
    'select lead(amount, 1) over (order by place) as next from main.entries',
    'write lead(x, 1, null), with or_null(x)',
  ],
  [
    'select ntile(4) over (order by place) as part from main.entries',
    'ntile(…) over (…): not known to be the same',
  ],
  [
    'select coin from main.entries qualify row_number() over (order by place) = 1',
    'qualify: rank in one step',
  ],
  // Casts and times.
  ['select try_cast(source_id as hugeint) as id from main.entries', 'try_cast to hugeint: write try_whole'],
  [
    'select cast(null as timestamptz) as at from main.entries',
    'a cast to timestamp with time zone: write null_time()',
  ],
  ["select date '9999-12-31' as day from main.entries", 'far_day()'],
  ['select cast([] as varchar[]) as ids from main.entries', 'a cast to list: write the empty list as []'],
  ['select occurred_at + days * interval 1 day as at from main.entries', 'n * interval: write plus_days'],
  [
    'select occurred_at + to_days(days) as at from main.entries',
    'an interval of so many units: write plus_days',
  ],
  // Names and stars.
  [
    'select entries.coin, fees.fee as fee from main.entries as entries join main.fees as fees on fees.entry_id = entries.entry_id',
    'entries.coin out of a join keeps its prefix: write entries.coin as coin',
  ],
  [
    'select entries.* from main.entries as entries cross join main.about as about',
    'entries.* over a join: name the columns, as entries.c as c',
  ],
  ['select * from main.entries as entries cross join main.about as about', '* over a join: name the columns'],
  ['select * exclude (coin) from main.entries', 'a star that leaves out or replaces columns'],
  ['select columns(*) from main.entries', 'columns(…): name the columns'],
  [
    'select sum(amount) as amount from main.entries',
    'the alias amount is also the name of a column that is read',
  ],
  [
    'select abs(amount) as amount from main.entries where amount > 0',
    'the alias amount is also the name of a column that is read',
  ],
  // Sets, sources and subqueries.
  [
    'select coin from main.entries union all by name select coin from main.fees',
    'union by name: write the columns in one order',
  ],
  [
    'with recursive walk as (select 1 as n union select n + 1 from walk where n < 3) select n from walk',
    'a recursion by union',
  ],
  [
    'select day from generate_series(1, 3) as days (day)',
    'a function in from: unnest a list in the select list',
  ],
  ['select distinct on (coin) coin, amount from main.entries', 'distinct on: rank the rows by row_number'],
  ['select coin from main.entries using sample 3', 'a sample of rows'],
  [
    'select entries.coin as coin from main.entries positional join main.fees',
    'a positional join: join by keys',
  ],
  ['select entries.coin as coin from main.entries natural join main.fees', 'a natural join: name the keys'],
  [
    'select coin from main.entries as entries where place in (select place from main.fees as fees where fees.account = entries.account)',
    'a subquery within in (…) that reads a row outside',
  ],
  [
    'select coin from main.entries as entries where exists (select 1 from main.fees as fees where fees.coin is not distinct from entries.coin)',
    'exists (… is not distinct from …)',
  ],
  [
    'select a.coin as coin from main.entries as a join main.fees as b on b.entry_id = a.entry_id and a.account in (select account from main.accounts)',
    'a subquery in the condition of a join',
  ],
]

describe('a model is refused that contains', () => {
  for (const [select, words] of refused)
    test(select, async () => {
      const problems = await unportable(connection, select)
      expect(problems.filter((problem) => problem.includes(words))).toHaveLength(1)
    })
})

test('what the rules name instead is accepted: words in texts and comments, literals, and names of columns', async () => {
  const select = `with
-- list(x order by k)[1:10] // strftime
entries as (select account, place, 'a // b ->> c' as words from main.entries),
final as (
  select entries.account as account, lag(or_null(place), 1, null) over (order by place) as previous,
    occurred_at + interval 1 day as next_day, place * 4 as fourfold, cast(place as double) * cast(place as double) as square,
    count(distinct coin) as coin_count, first_of(ordered_list(coin, (place, coin)), 10) as coins
  from entries
  anti join main.fees as fees on fees.account = entries.account
  where exists (select 1 from main.trades as trades where trades.account = entries.account)
    and (account, place) in (select (account, place) from main.balance_chain)
)
select account, previous from final
union all
select final.account, final.previous from final join main.fees as fees on fees.account = final.account`
  expect(await unportable(connection, select)).toEqual([])
})
