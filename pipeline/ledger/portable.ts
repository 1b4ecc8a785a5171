// Whatever DuckDB and ClickHouse express differently, under one name: models use these names, so one model
// text runs in both engines with the same rows (test/sql/portable.test.ts refuses everything else). In DuckDB
// a name is a temporary macro of the connection that builds, so it is never in the published file and shadows
// nothing there. In ClickHouse it is a function of the server. If an engine already has the name, it needs no
// text for it.
import type { DuckDBConnection } from '@duckdb/node-api'

export interface PortableFunction {
  readonly name: string
  readonly parameters: readonly string[]
  readonly meaning: string
  /** Null if DuckDB has a function of this name, or the build registers one (functions.ts). */
  readonly duckdb: string | null
  readonly clickhouse: string
  /** It aggregates many rows into one value. */
  readonly isAggregate?: true
}

const TIME = `'Nullable(DateTime64(6, \\'UTC\\'))'`

/** Whole units of 10^-18. */
const units = (amount: string): string =>
  `toInt256(toDecimal256(${amount}, 18) * toDecimal256('1000000000000000000', 0))`

/** An amount of this many units; null from 10^38 on, which no DECIMAL(38, 18) can hold. */
const ofUnits = (whole: string): string =>
  `accurateCastOrNull(toDecimal256(${whole}, 0) * toDecimal256('0.000000000000000001', 18), 'Decimal(38, 18)')`

/** The quotient rounded half to even, like `divideHalfEven` in functions.ts; null for a division by zero. */
const halfEven = (dividend: string, divisor: string): string => `arrayMap(
  (n, d) -> arrayMap(
    (q, r) -> if(2 * abs(r) > abs(d) or (2 * abs(r) = abs(d) and q % 2 <> 0), q + sign(n) * sign(d), q),
    [intDivOrNull(n, d)], [moduloOrNull(n, d)]
  )[1],
  [${dividend}], [${divisor}]
)[1]`

const GROUP_IN_ORDER = 'arraySort(e -> e.2, groupArray((x, k)))'

/** Text that a decimal may be written as, in the usual form and in any. */
const PLAIN = '[+-]?[0-9]+([.][0-9]{1,18})?'
const NUMBER = '[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,5})?'
const ZERO = '[+-]?[0.]+([eE].*)?'

/**
 * A time as UTC without its zone, and back: ten times as fast as `at time zone`, for which DuckDB asks a calendar of every row.
 */
export const naiveUtc = (time: string): string => `make_timestamp(epoch_us(${time}))`
const asTime = (naive: string): string => `make_timestamptz(epoch_us(${naive}))`

const decimalsIn = (text: string): string =>
  `length(regexp_extract(${text}, '[.]([0-9]*)', 1)) - coalesce(try_cast(regexp_extract(${text}, '[eE](.*)', 1) as integer), 0)`
const decimalsInClickhouse = (text: string): string =>
  `toInt32(length(extract(${text}, '[.]([0-9]*)'))) - coalesce(toInt32OrNull(extract(${text}, '[eE](.*)')), 0)`

/** The names, each once, after those that they use. */
export const portableFunctions: readonly PortableFunction[] = [
  // Amounts and numbers.
  {
    name: 'exact_multiply',
    parameters: ['a', 'b'],
    meaning: 'a * b of amounts, rounded half to even at the 18th decimal; null if it does not fit.',
    duckdb: null,
    clickhouse: ofUnits(halfEven(`${units('a')} * ${units('b')}`, `toInt256('1000000000000000000')`)),
  },
  {
    name: 'exact_divide',
    parameters: ['a', 'b'],
    meaning: 'a / b of amounts, rounded half to even at the 18th decimal; null if b = 0 or it does not fit.',
    duckdb: null,
    clickhouse: ofUnits(halfEven(`${units('a')} * toInt256('1000000000000000000')`, units('b'))),
  },
  {
    name: 'exact_ratio',
    parameters: ['a', 'b', 'c'],
    meaning: 'a * b / c of amounts, rounded once; null if c = 0 or it does not fit.',
    duckdb: null,
    clickhouse: ofUnits(halfEven(`${units('a')} * ${units('b')}`, units('c'))),
  },
  {
    name: 'amount_text',
    parameters: ['x'],
    meaning: 'An amount as text with all of its 18 decimals.',
    duckdb: 'cast(x as varchar)',
    clickhouse: 'toDecimalString(x, 18)',
  },
  {
    name: 'try_whole',
    parameters: ['x'],
    meaning: 'The integer in a text, such as an id; null if it is not one.',
    duckdb: 'try_cast(x as hugeint)',
    clickhouse: `accurateCastOrNull(x, 'Int128')`,
  },
  {
    name: 'decimals_of',
    parameters: ['x'],
    meaning: 'Number of decimals of a number in the text x, trailing zeros included.',
    duckdb: decimalsIn('x'),
    clickhouse: decimalsInClickhouse('x'),
  },
  {
    name: 'try_amount',
    parameters: ['x'],
    meaning: 'The amount in a text; null if it is not one, or has digits beyond the 18th decimal.',
    // A cast would round them: unless they are zeros, the text does not fit. The usual form is tried first.
    duckdb: `case
      when regexp_full_match(x, '${PLAIN}') then try_cast(x as decimal(38, 18))
      when regexp_full_match(x, '${NUMBER}')
        and (
          regexp_full_match(x, '${ZERO}')
          or ${decimalsIn('x')}
            - length(regexp_extract(replace(regexp_extract(x, '[0-9.]+'), '.', ''), '0*$')) <= 18
        )
        then try_cast(x as decimal(38, 18))
    end`,
    clickhouse: `case
      when match(x, '^(${PLAIN})$') then toDecimal128OrNull(x, 18)
      when match(x, '^(${NUMBER})$')
        and (
          match(x, '^(${ZERO})$')
          or ${decimalsInClickhouse('x')}
            - toInt32(length(extract(replaceAll(extract(x, '[0-9.]+'), '.', ''), '(0*)$'))) <= 18
        )
        then toDecimal128OrNull(x, 18)
    end`,
  },
  // Words.
  {
    name: 'counted',
    parameters: ['n', 'one', 'many'],
    meaning: 'A number with its noun, as in a sentence: `1 record of X is`, `2 records of X are`.',
    duckdb: `cast(n as varchar) || ' ' || case when n = 1 then one else many end`,
    clickhouse: `concat(toString(n), ' ', if(n = 1, one, many))`,
  },
  // Nulls.
  {
    name: 'or_null',
    parameters: ['x'],
    meaning: 'x, as a nullable column: lag and lead need that for a column that is never null itself.',
    duckdb: 'x',
    clickhouse: 'toNullable(x)',
  },
  {
    name: 'null_time',
    parameters: [],
    meaning: 'No time.',
    duckdb: 'cast(null as timestamptz)',
    clickhouse: `cast(null, ${TIME})`,
  },
  // Times and days.
  {
    name: 'epoch_ms',
    parameters: ['t'],
    meaning: 'Milliseconds of a time since 1970.',
    duckdb: null,
    clickhouse: 'toUnixTimestamp64Milli(t)',
  },
  {
    name: 'make_timestamptz',
    parameters: ['n'],
    meaning: 'The time n microseconds after 1970 began.',
    duckdb: null,
    clickhouse: `fromUnixTimestamp64Micro(n, 'UTC')`,
  },
  {
    name: 'millis_time',
    parameters: ['x'],
    meaning: 'The time in a text of milliseconds since 1970; null if it is not one.',
    duckdb: `case when regexp_full_match(trim(x), '[0-9]{1,15}') then make_timestamptz(cast(trim(x) as bigint) * 1000) end`,
    clickhouse: `if(match(trimBoth(x), '^[0-9]{1,15}$'), fromUnixTimestamp64Micro(toInt64OrNull(trimBoth(x)) * 1000, 'UTC'), null)`,
  },
  {
    name: 'utc_day',
    parameters: ['t'],
    meaning: 'UTC day of a time.',
    duckdb: `cast(${naiveUtc('t')} as date)`,
    clickhouse: `toDate32(t, 'UTC')`,
  },
  {
    name: 'day_number',
    parameters: ['t'],
    meaning: 'Number of the UTC day of a time, from 0 for 1970-01-01.',
    duckdb: `cast(${naiveUtc('t')} as date) - date '1970-01-01'`,
    clickhouse: `toInt64(toInt32(toDate32(t, 'UTC')))`,
  },
  {
    name: 'utc_hour',
    parameters: ['t'],
    meaning: 'Beginning of the hour of a time.',
    duckdb: asTime(`date_trunc('hour', ${naiveUtc('t')})`),
    clickhouse: `toDateTime64(toStartOfHour(t), 6, 'UTC')`,
  },
  {
    name: 'settled_at',
    parameters: ['kind', 't'],
    meaning:
      'When a futures record took effect: its time, but for funding stamped within the first minute of an hour, the hour.',
    duckdb: `case when kind = 'funding' and epoch_ms(t) % 3600000 < 60000 then utc_hour(t) else t end`,
    clickhouse: `if(kind = 'funding' and epoch_ms(t) % 3600000 < 60000, utc_hour(t), t)`,
  },
  {
    name: 'utc_minute',
    parameters: ['t'],
    meaning: 'Beginning of the minute of a time.',
    duckdb: asTime(`date_trunc('minute', ${naiveUtc('t')})`),
    clickhouse: `toDateTime64(toStartOfMinute(t), 6, 'UTC')`,
  },
  {
    name: 'utc_second',
    parameters: ['t'],
    meaning: 'Beginning of the second of a time.',
    duckdb: asTime(`date_trunc('second', ${naiveUtc('t')})`),
    clickhouse: 'toStartOfSecond(t)',
  },
  {
    name: 'time_text',
    parameters: ['t'],
    meaning: 'A time in UTC as text, to the microsecond.',
    duckdb: `strftime(${naiveUtc('t')}, '%Y-%m-%d %H:%M:%S.%f')`,
    clickhouse: `formatDateTime(t, '%Y-%m-%d %H:%i:%S.%f', 'UTC')`,
  },
  {
    name: 'day_start',
    parameters: ['d'],
    meaning: 'The time at which a UTC day begins.',
    duckdb: asTime('cast(d as timestamp)'),
    clickhouse: `toDateTime64(d, 6, 'UTC')`,
  },
  {
    name: 'far_day',
    parameters: [],
    meaning: 'A day after all others: the last that both engines support.',
    duckdb: `date '2299-12-31'`,
    clickhouse: `toDate32('2299-12-31')`,
  },
  {
    name: 'month_of',
    parameters: ['d'],
    meaning: 'First day of the month of a day.',
    duckdb: `cast(date_trunc('month', d) as date)`,
    clickhouse: 'addDays(d, 1 - toDayOfMonth(d))',
  },
  {
    name: 'month_end',
    parameters: ['d'],
    meaning: 'Last day of the month of a day.',
    duckdb: 'last_day(d)',
    clickhouse: 'addDays(addMonths(addDays(d, 1 - toDayOfMonth(d)), 1), -1)',
  },
  {
    name: 'quarter_of',
    parameters: ['d'],
    meaning: 'First day of the quarter of a day.',
    duckdb: `cast(date_trunc('quarter', d) as date)`,
    clickhouse: 'addMonths(addDays(d, 1 - toDayOfMonth(d)), -((toMonth(d) - 1) % 3))',
  },
  {
    name: 'week_text',
    parameters: ['d'],
    meaning: 'The ISO 8601 week of a day, as 2026-W47.',
    duckdb: `strftime(d, '%G-W%V')`,
    clickhouse: `formatDateTime(d, '%G-W%V')`,
  },
  {
    name: 'weekday_of',
    parameters: ['d'],
    meaning: 'Day of the week, from 1 for Monday.',
    duckdb: 'isodow(d)',
    clickhouse: 'toDayOfWeek(d)',
  },
  {
    name: 'plus_days',
    parameters: ['t', 'n'],
    meaning: 'n days after a time or a day, where n is not a literal.',
    duckdb: 't + n * interval 1 day',
    clickhouse: 'addDays(t, n)',
  },
  {
    name: 'plus_hours',
    parameters: ['t', 'n'],
    meaning: 'n hours after a time, where n is not a literal.',
    duckdb: 't + n * interval 1 hour',
    clickhouse: 'addHours(t, n)',
  },
  {
    name: 'plus_minutes',
    parameters: ['t', 'n'],
    meaning: 'n minutes after a time, where n is not a literal.',
    duckdb: 't + n * interval 1 minute',
    clickhouse: 'addMinutes(t, n)',
  },
  {
    name: 'days_between',
    parameters: ['a', 'b'],
    meaning: 'List of the days from a to b; unnest it in the select list.',
    duckdb: 'list_transform(generate_series(a, b, interval 1 day), lambda each: cast(each as date))',
    clickhouse: `arrayMap(n -> addDays(a, n), range(toUInt64(greatest(0, ifNull(dateDiff('day', a, b), -1) + 1))))`,
  },
  {
    name: 'months_between',
    parameters: ['a', 'b'],
    meaning:
      'List of the first days of months from a to b, themselves first days of months; unnest it in the select list.',
    duckdb: 'list_transform(generate_series(a, b, interval 1 month), lambda each: cast(each as date))',
    clickhouse: `arrayMap(n -> addMonths(a, n), range(toUInt64(greatest(0, ifNull(dateDiff('month', a, b), -1) + 1))))`,
  },
  // Text.
  {
    name: 'split_part',
    parameters: ['x', 's', 'n'],
    meaning: 'The n-th part, from 1, of a text separated by s.',
    duckdb: null,
    clickhouse: "splitByString(s, ifNull(x, ''))[n]",
  },
  {
    name: 'starts_with',
    parameters: ['x', 's'],
    meaning: 'Whether the text x begins with s.',
    duckdb: null,
    clickhouse: 'startsWith(x, s)',
  },
  {
    name: 'ends_with',
    parameters: ['x', 's'],
    meaning: 'Whether the text x ends with s.',
    duckdb: null,
    clickhouse: 'endsWith(x, s)',
  },
  {
    name: 'lower_case',
    parameters: ['x'],
    meaning: 'A text in lower case: in ClickHouse, lower handles only ASCII.',
    duckdb: 'lower(x)',
    clickhouse: 'lowerUTF8(x)',
  },
  {
    name: 'upper_case',
    parameters: ['x'],
    meaning: 'A text in capitals: in ClickHouse, upper handles only ASCII.',
    duckdb: 'upper(x)',
    clickhouse: 'upperUTF8(x)',
  },
  {
    name: 'first_chars',
    parameters: ['x', 'n'],
    meaning: 'The first n characters of a text: in ClickHouse, left and substr count bytes.',
    duckdb: 'left(x, n)',
    clickhouse: 'leftUTF8(x, n)',
  },
  {
    name: 'like_pattern',
    parameters: ['x', 'p'],
    meaning: 'Whether a text matches a like pattern in which a backslash escapes the next character.',
    duckdb: `x like p escape '\\'`,
    clickhouse: 'like(x, p)',
  },
  {
    name: 'star_pattern',
    parameters: ['x'],
    meaning: 'The like_pattern pattern for a word in which an asterisk stands for anything.',
    duckdb: `replace(replace(x, '_', '\\_'), '*', '%')`,
    clickhouse: `replaceAll(replaceAll(x, '_', '\\\\_'), '*', '%')`,
  },
  {
    name: 'canonical_word',
    parameters: ['x'],
    meaning:
      'A word of the venue in capitals, with one underscore for runs of spaces, underscores and hyphens.',
    duckdb: `regexp_replace(upper(trim(x)), '[\\s_-]+', '_', 'g')`,
    clickhouse: `replaceRegexpAll(upperUTF8(trimBoth(x)), '[\\\\s_-]+', '_')`,
  },
  {
    name: 'pseudonym',
    parameters: ['k', 'x'],
    meaning:
      'Pseudonym of a name under the key of the books; spellings that differ only in spaces and capitals are the same name.',
    // Hashed twice under the key: without it, no list of names can be tested.
    duckdb: `left(sha256(k || sha256(k || nullif(lower(trim(regexp_replace(nfc_normalize(x), '\\s+', ' ', 'g'))), ''))), 20)`,
    clickhouse: `left(lower(hex(SHA256(concat(k, lower(hex(SHA256(concat(k, nullIf(lowerUTF8(trimBoth(replaceRegexpAll(normalizeUTF8NFC(x), '\\\\s+', ' '))), ''))))))))), 20)`,
  },
  // Lists.
  {
    name: 'ordered_list',
    parameters: ['x', 'k'],
    meaning: 'List of x in the order of k; several keys go in brackets, `(k1, k2)`.',
    duckdb: 'list(x order by k)',
    clickhouse: `arrayMap(e -> e.1, ${GROUP_IN_ORDER})`,
    isAggregate: true,
  },
  {
    name: 'first_by',
    parameters: ['x', 'k', 'n'],
    meaning:
      'List of the n values of x with the smallest k, without nulls; DuckDB keeps no more than n while grouping: for lists that may be long.',
    duckdb: 'arg_min(x, k, n)',
    // DuckDB skips null values, and values with a null sort key.
    clickhouse: `arrayMap(e -> e.1, arraySlice(arraySort(e -> e.2, groupArrayIf((x, k), isNotNull(x) and isNotNull(k))), 1, n))`,
    isAggregate: true,
  },
  {
    name: 'distinct_list',
    parameters: ['x'],
    meaning: 'The distinct values of x in order, without nulls.',
    duckdb: 'list_sort(coalesce(list(distinct x) filter (where x is not null), []))',
    clickhouse: 'arraySort(groupUniqArray(x))',
    isAggregate: true,
  },
  {
    name: 'joined_list',
    parameters: ['x', 's', 'k'],
    meaning: 'The values of x in the order of k as one text, separated by s; null if there are none.',
    duckdb: 'string_agg(x, s order by k)',
    clickhouse: `nullIf(arrayStringConcat(arrayMap(e -> e.1, arraySort(e -> e.2, arrayFilter(e -> e.1 is not null, groupArray((x, k))))), s), '')`,
    isAggregate: true,
  },
  {
    name: 'joined_distinct',
    parameters: ['x', 's'],
    meaning: 'The distinct values of x in order as one text, separated by s; null if there are none.',
    duckdb: 'string_agg(distinct x, s order by x)',
    clickhouse: `nullIf(arrayStringConcat(arraySort(groupUniqArray(x)), s), '')`,
    isAggregate: true,
  },
  {
    name: 'bool_or',
    parameters: ['x'],
    meaning: 'Whether x is true in any row; not over a window.',
    duckdb: null,
    clickhouse: 'max(x)',
    isAggregate: true,
  },
  {
    name: 'bool_and',
    parameters: ['x'],
    meaning: 'Whether x is true in every row; not over a window.',
    duckdb: null,
    clickhouse: 'min(x)',
    isAggregate: true,
  },
  {
    name: 'first_of',
    parameters: ['l', 'n'],
    meaning: 'The first n values of a list.',
    duckdb: 'l[1:n]',
    clickhouse: 'arraySlice(l, 1, n)',
  },
  {
    name: 'list_contains',
    parameters: ['l', 'x'],
    meaning: 'Whether a list contains the value x.',
    duckdb: null,
    clickhouse: 'has(l, x)',
  },
  {
    name: 'places_of',
    parameters: ['l'],
    meaning:
      'The positions of a list, from 0; unnest them in the select list, where two lists cannot be combined.',
    duckdb: 'range(len(l))',
    clickhouse: 'range(length(l))',
  },
  // JSON, as text.
  {
    name: 'to_json',
    parameters: ['x'],
    meaning: 'JSON of a value.',
    duckdb: null,
    clickhouse: 'toJSONString(x)',
  },
  {
    name: 'json_kind',
    parameters: ['x'],
    meaning: 'OBJECT, ARRAY or another word for the type of a JSON text.',
    duckdb: 'json_type(x)',
    clickhouse: 'upper(toString(JSONType(x)))',
  },
  {
    name: 'json_items',
    parameters: ['x'],
    meaning:
      'The items of a JSON text as a list of JSON texts: those of a list, or else the single object or value itself. A null item is null.',
    duckdb: `cast(case
      when try_cast(x as json) is null then [to_json(x)]
      when json_type(x) = 'ARRAY' then from_json(x, '["JSON"]')
      else [cast(x as json)]
    end as varchar[])`,
    clickhouse: `multiIf(
      not isValidJSON(ifNull(x, '')), [toNullable(toJSONString(x))],
      JSONType(ifNull(x, '')) = 'Array', arrayMap(e -> nullIf(e, 'null'), JSONExtractArrayRaw(ifNull(x, ''))),
      [toNullable(x)]
    )`,
  },
  {
    name: 'json_texts',
    parameters: ['x'],
    meaning: 'The texts of a JSON list.',
    duckdb: `from_json(x, '["VARCHAR"]')`,
    clickhouse: `JSONExtract(ifNull(x, ''), 'Array(String)')`,
  },
  {
    name: 'json_text',
    parameters: ['x'],
    meaning: 'A JSON text as plain text: a string without its quotes; null for null and for the empty text.',
    duckdb: `nullif(x ->> '$', '')`,
    clickhouse: `nullIf(if(JSONType(x) = 'String', JSONExtractString(x), nullIf(x, 'null')), '')`,
  },
  {
    name: 'json_member',
    parameters: ['x', 'n'],
    meaning:
      'JSON text of the member n of an object; null if there is none, for null and for the empty text.',
    duckdb: `case when nullif(x ->> ('$."' || n || '"'), '') is not null then cast(x -> ('$."' || n || '"') as varchar) end`,
    clickhouse: `nullIf(nullIf(nullIf(JSONExtractRaw(x, n), ''), 'null'), '""')`,
  },
  {
    name: 'json_field',
    parameters: ['x', 'n'],
    meaning:
      'The member n of an object as plain text; null if there is none, for null and for the empty text.',
    duckdb: `nullif(x ->> ('$."' || n || '"'), '')`,
    clickhouse: `nullIf(if(JSONType(x, n) = 'String', JSONExtractString(x, n), nullIf(JSONExtractRaw(x, n), 'null')), '')`,
  },
  {
    name: 'json_value',
    parameters: ['x', 'n'],
    meaning:
      'The member of an object whose name is the value n, whatever characters it contains, as plain text.',
    duckdb: `cast(cast(x as json) as map(varchar, json))[n] ->> '$'`,
    clickhouse: `if(JSONType(x, n) = 'String', JSONExtractString(x, n), nullIf(nullIf(JSONExtractRaw(x, n), 'null'), ''))`,
  },
  {
    name: 'json_field_kind',
    parameters: ['x', 'n'],
    meaning: 'OBJECT, ARRAY or another word for the type of the member n of an object.',
    duckdb: `json_type(x, '$."' || n || '"')`,
    clickhouse: 'upper(toString(JSONType(x, n)))',
  },
  {
    name: 'json_names',
    parameters: ['x'],
    meaning: 'Names of the members of an object.',
    duckdb: 'json_keys(x)',
    clickhouse: `JSONExtractKeys(ifNull(x, ''))`,
  },
  {
    name: 'json_has_only',
    parameters: ['x', 'l'],
    meaning: 'Whether the name of every member of an object is in the list.',
    duckdb: 'list_has_all(l, json_keys(x))',
    clickhouse: `hasAll(l, JSONExtractKeys(ifNull(x, '')))`,
  },
  {
    name: 'json_rest',
    parameters: ['x', 'k', 'w'],
    meaning:
      'The object x with only those members whose name is not in the list k, or is in the list w, ordered by name.',
    duckdb: `'{' || array_to_string(
      list_transform(
        list_sort(
          list_filter(
            map_entries(cast(cast(x as json) as map(varchar, json))),
            lambda member: not list_contains(k, member.key) or list_contains(w, member.key)
          )
        ),
        lambda member: cast(to_json(member.key) as varchar) || ':' || coalesce(cast(member.value as varchar), 'null')
      ), ','
    ) || '}'`,
    clickhouse: `concat('{', arrayStringConcat(
      arrayMap(
        e -> concat(toJSONString(e.1), ':', e.2),
        arraySort(arrayFilter(e -> not has(k, e.1) or has(w, e.1), JSONExtractKeysAndValuesRaw(ifNull(x, ''))))
      ), ','
    ), '}')`,
  },
]

/** Names that aggregate many rows into one value. */
export const portableAggregates: readonly string[] = portableFunctions
  .filter(({ isAggregate }) => isAggregate)
  .map(({ name }) => name)

/** Registers the names with this connection only, until it closes. */
export async function createMacros(connection: DuckDBConnection): Promise<void> {
  const macros = portableFunctions.filter(({ duckdb }) => duckdb !== null)
  await connection.run(
    macros
      .map(
        ({ name, parameters, duckdb }) =>
          `create or replace temp macro ${name}(${parameters.join(', ')}) as ${duckdb}`,
      )
      .join(';\n'),
  )
}

/** The statements that register the names with a ClickHouse server. */
export const clickhouseFunctions: readonly string[] = portableFunctions.map(
  ({ name, parameters, clickhouse }) =>
    `create or replace function ${name} as (${parameters.join(', ')}) -> ${clickhouse}`,
)

/**
 * The settings under which ClickHouse answers a model as DuckDB does. Columns of input tables are Nullable if
 * they can contain null, times are DateTime64(6, 'UTC'), days Date32 and amounts Decimal(38, 18).
 */
export const clickhouseSettings: Readonly<Record<string, string | number>> = {
  join_use_nulls: 1,
  prefer_column_name_to_alias: 1,
  union_default_mode: 'DISTINCT',
  cast_keep_nullable: 1,
  aggregate_functions_null_for_empty: 1,
  session_timezone: 'UTC',
  output_format_json_escape_forward_slashes: 0,
  date_time_overflow_behavior: 'saturate',
}
