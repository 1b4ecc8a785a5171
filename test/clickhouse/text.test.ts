// What becomes of a model's text, its types and its table on the way to ClickHouse.
import { expect, test } from 'vitest'
import { databasesOf, nameOf, renamed } from '../../pipeline/clickhouse/names.ts'
import { definitionOf } from '../../pipeline/clickhouse/transfer.ts'
import { clickHouseType, duckDbType } from '../../pipeline/clickhouse/types.ts'

const databases = databasesOf('books', 'b1')

test('each type has one counterpart, in both directions', () => {
  const types = [
    'VARCHAR',
    'BOOLEAN',
    'INTEGER',
    'BIGINT',
    'HUGEINT',
    'DOUBLE',
    'DATE',
    'TIMESTAMP WITH TIME ZONE',
  ]
  for (const type of [...types, 'DECIMAL(38,18)', 'VARCHAR[]'])
    expect(duckDbType(clickHouseType(type))).toBe(type)
  expect(clickHouseType('DECIMAL(38,18)')).toBe('Nullable(Decimal(38, 18))')
  expect(clickHouseType('TIMESTAMP WITH TIME ZONE')).toBe("Nullable(DateTime64(6, 'UTC'))")
  expect(clickHouseType('VARCHAR[]')).toBe('Array(Nullable(String))')
})

test('a type without a counterpart is refused by name', () => {
  expect(() => clickHouseType('INTERVAL')).toThrow('without a counterpart')
  expect(() => duckDbType('UInt256')).toThrow('without a counterpart')
})

test('tables are in the databases of their build, what has landed in its own', () => {
  expect(nameOf('main.entries', databases)).toBe('"books_b1"."entries"')
  expect(nameOf('staging.moves', databases)).toBe('"books_b1_staging"."moves"')
  expect(nameOf('landing.pages', databases)).toBe('"books_landing"."pages"')
  expect(() => nameOf('elsewhere.moves', databases)).toThrow('unknown schema')
})

test('a text gets the names of what it reads, and of nothing else', () => {
  const select = "select staging.moves.coin, 'landing.pages' from staging.moves join landing.accounts on true"
  expect(renamed(select, ['staging.moves', 'landing.accounts'], databases)).toBe(
    `select "books_b1_staging"."moves".coin, 'landing.pages' from "books_b1_staging"."moves" join "books_landing"."accounts" on true`,
  )
})

test('a table states what it and its columns mean, whatever characters that takes', () => {
  const statement = definitionOf('"x"."y"', {
    columns: new Map([
      ['account', 'VARCHAR'],
      ['at', 'TIMESTAMP WITH TIME ZONE'],
    ]),
    order: ['account', 'coin'],
    month: 'at',
    meaning: { doc: "an account's \\ table", columnDocs: new Map([['at', 'When.']]) },
  })
  expect(statement).toBe(`create table "x"."y" (
  "account" Nullable(String),
  "at" Nullable(DateTime64(6, 'UTC')) comment 'When.'
) engine = MergeTree
partition by toYYYYMM("at")
order by ("account")
settings allow_nullable_key = 1
comment 'an account''s \\\\ table'`)
})
