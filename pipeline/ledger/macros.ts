// `exact_multiply(a, b)` and `exact_divide(a, b)` as macros inside the published file, so that every client that opens it
// has them: DECIMAL(38,18) times DECIMAL(38,18) overflows in SQL, and `/` answers a double. They say what the functions
// of the build say (functions.ts): rounded half to even at the 18th decimal; null for null, for a division by zero and
// for a result beyond DECIMAL(38,18). A macro is resolved where it is called, so each is whole in itself.
import type { DuckDBConnection } from '@duckdb/node-api'

const ONE = '1000000000000000000::hugeint'
/** Half of the digits after the point. */
const NINE = '1000000000::hugeint'

/** Whole units of 10^-18 as HUGEINT; the text of a DECIMAL(38,18) always has its 18 decimals. */
const units = (value: string): string =>
  `cast(replace(cast(cast(${value} as decimal(38, 18)) as varchar), '.', '') as hugeint)`

/** Evaluates an expression over named values, once each. */
const given = (values: Readonly<Record<string, string>>, name: string, expression: string): string =>
  `list_transform([{${Object.entries(values)
    .map(([key, value]) => `'${key}': ${value}`)
    .join(', ')}}], lambda ${name}: ${expression})[1]`

/**
 * Quotient and remainder of two non-negative integers as a struct of `whole` and `rest`: a division of
 * HUGEINT takes twenty times as long as one of doubles, whose quotient is corrected twice. The quotient has
 * at most 20 digits.
 */
const divided = (dividend: string, divisor: string): string =>
  given(
    { n: dividend, d: divisor },
    'v',
    given(
      { n: 'v.n', d: 'v.d', q: 'cast(cast(v.n as double) / cast(v.d as double) as hugeint)' },
      'near',
      given(
        { d: 'near.d', q: 'near.q', r: 'near.n - near.q * near.d' },
        'nearer',
        given(
          {
            d: 'nearer.d',
            r: 'nearer.r',
            q: 'nearer.q',
            more: 'cast(cast(nearer.r as double) / cast(nearer.d as double) as hugeint)',
          },
          'o',
          given(
            { d: 'o.d', q: 'o.q + o.more', r: 'o.r - o.more * o.d' },
            'z',
            "{'whole': z.q - case when z.r < 0 then 1 else 0 end, 'rest': z.r + case when z.r < 0 then z.d else 0 end}",
          ),
        ),
      ),
    ),
  )

/**
 * `whole` units, plus one if the remainder is over half of `of`, or exactly half and `whole` odd; null beyond
 * 38 digits.
 */
const rounded = (name: string): string => {
  const { whole, rest, of } = { whole: `${name}.whole`, rest: `${name}.rest`, of: `${name}.of` }
  const up = `${rest} > ${of} - ${rest} or (${rest} = ${of} - ${rest} and ${whole} & 1 = 1)`
  return given(
    {
      units: `${whole} + case when ${up} then 1 else 0 end`,
      sign: `case when ${name}.negative then -1 else 1 end`,
    },
    'u',
    `case when u.units < 100000000000000000000::hugeint * ${ONE} then ${given(
      { sign: 'u.sign', of: divided('u.units', ONE) },
      'w',
      `w.sign * (cast(w.of.whole as decimal(38, 18))
        + cast(cast(w.of.rest as decimal(18, 0)) * cast('0.000000000000000001' as decimal(18, 18)) as decimal(38, 18)))`,
    )} end`,
  )
}

/**
 * A double is accurate enough to rule out results that cannot fit; the others are computed, and then checked
 * exactly.
 */
const SURELY_BEYOND = '1.0000001e38'

const multiply = given(
  { a: units('a'), b: units('b') },
  'x',
  `case when abs(cast(x.a as double) * cast(x.b as double)) < ${SURELY_BEYOND} * 1e18 then ${given(
    {
      negative: '(x.a < 0) <> (x.b < 0)',
      a: divided('abs(x.a)', ONE),
      b: divided('abs(x.b)', ONE),
    },
    'p',
    given(
      { p: 'p', low: divided('p.a.rest * p.b.rest', ONE) },
      'l',
      given(
        {
          negative: 'l.p.negative',
          whole: `l.p.a.whole * l.p.b.whole * ${ONE} + l.p.a.whole * l.p.b.rest + l.p.a.rest * l.p.b.whole + l.low.whole`,
          rest: 'l.low.rest',
          of: ONE,
        },
        'r',
        rounded('r'),
      ),
    ),
  )} end`,
)

/** Long division by nine digits at a time, for divisors that leave room for them. */
const nineDigits = (from: string, name: string, then: string): string =>
  given(
    { before: from, next: divided(`${from}.rest * ${NINE}`, `${from}.of`) },
    name,
    given(
      {
        negative: `${name}.before.negative`,
        of: `${name}.before.of`,
        whole: `${name}.before.whole * ${NINE} + ${name}.next.whole`,
        rest: `${name}.next.rest`,
      },
      `${name}_done`,
      then,
    ),
  )

/**
 * One digit of a long division: ten times the remainder would overflow, so the digit comes from a tenth of
 * the divisor.
 */
const oneDigit = given(
  { digit: 'least(d.rest // (d.of // 10), 9)' },
  'k',
  given(
    { digit: 'k.digit', rest: '10 * (d.rest - k.digit * (d.of // 10)) - k.digit * (d.of % 10)' },
    'm',
    `{'negative': d.negative, 'of': d.of,
      'whole': d.whole * 10 + m.digit - case when m.rest < 0 then 1 else 0 end,
      'rest': m.rest + case when m.rest < 0 then d.of else 0 end}`,
  ),
)

const divide = given(
  { a: units('a'), b: units('b') },
  'x',
  `case when x.b <> 0 and abs(cast(x.a as double) / cast(x.b as double)) * 1e18 < ${SURELY_BEYOND} then ${given(
    { negative: '(x.a < 0) <> (x.b < 0)', of: 'abs(x.b)', first: divided('abs(x.a)', 'abs(x.b)') },
    'f',
    given(
      { negative: 'f.negative', of: 'f.of', whole: 'f.first.whole', rest: 'f.first.rest' },
      's',
      `case when s.of < 100000000000000000000000000000::hugeint
         then ${nineDigits('s', 'g', nineDigits('g_done', 'h', rounded('h_done')))}
         else ${given(
           { all: `list_reduce(list_transform(range(19), lambda n: s), lambda d, n: ${oneDigit})` },
           'w',
           given(
             { negative: 'w.all.negative', whole: 'w.all.whole', rest: 'w.all.rest', of: 'w.all.of' },
             'r',
             rounded('r'),
           ),
         )}
       end`,
    ),
  )} end`,
)

/** Macros of the published file by name: parameters, description and text. */
const macros = {
  exact_multiply: {
    doc: 'a * b, exact to 18 decimals, half to even; null if it does not fit.',
    text: multiply,
  },
  exact_divide: { doc: 'a / b, exact to 18 decimals, half to even; null for b = 0.', text: divide },
} as const

export const macroNames: readonly string[] = Object.keys(macros)

/** Creates the macros in the current schema. */
export async function writeMacros(connection: DuckDBConnection): Promise<void> {
  for (const [name, { doc, text }] of Object.entries(macros)) {
    await connection.run(`create or replace macro ${name}(a, b) as ${text}`)
    await connection.run(`comment on macro ${name} is '${doc}'`)
  }
}

/**
 * Removes them from a database: in one that is being built they would shadow the functions, and take twenty
 * times as long.
 */
export async function dropMacros(connection: DuckDBConnection, database: string): Promise<void> {
  for (const name of macroNames) await connection.run(`drop macro if exists ${database}.main.${name}`)
}
