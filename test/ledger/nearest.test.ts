// Which moves are each other's nearest among equal ones, held to a comparison of every side with every other one; and so many
// equal moves that such a comparison would not end.
import { expect, test } from 'vitest'
import { runModel } from '../support/one-model.ts'

interface Side {
  readonly among: string
  readonly account: string
  readonly quantity: string
  /** Unix microseconds. */
  readonly us: number
  readonly wallet: string
  readonly isSecond: boolean
  readonly place: number
  readonly id: string
}

interface Tie {
  readonly among: string
  readonly first: Side
  readonly second: Side
  readonly farthestMs: number
}

const START_US = Date.parse('2026-03-01T00:00:00Z') * 1_000

const timeOf = (us: number): string =>
  `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, 23).replace('T', ' ')}${String(us % 1_000).padStart(3, '0')}+00`

const ms = ({ us }: Side): number => Math.floor(us / 1_000)

const sidesTable = (sides: readonly Side[]) => ({
  columns: `among varchar, account varchar, coin varchar, side varchar, quantity decimal(38, 18), happened_at timestamptz,
    wallet varchar, is_second integer, place bigint, id varchar`,
  rows: sides.map(({ among, account, quantity, us, wallet, isSecond, place, id }) => [
    ...[among, account, 'USDT', '', quantity, timeOf(us), wallet],
    ...[isSecond ? '1' : '0', String(place), id],
  ]),
})

const turnsTable = (ties: readonly Tie[]) => ({
  columns:
    'among varchar, first_place bigint, first_id varchar, second_place bigint, second_id varchar, apart_ms bigint, farthest_ms bigint',
  rows: ties.map(({ among, first, second, farthestMs }) => [
    ...[among, String(first.place), first.id, String(second.place), second.id],
    ...[String(Math.abs(ms(first) - ms(second))), String(farthestMs)],
  ]),
})

/** One record may be several sides, with one quantity each. */
const itemOf = ({ among, isSecond, place, id }: Side): string => [among, isSecond, place, id].join('|')

interface Choice {
  readonly other: Side
  readonly outOfTurn: number
  readonly apartMs: number
  readonly otherAccount: number
}

/** Every side with every other one: the rule as a person would apply it. */
function byHand(sides: readonly Side[], withinMs: number, ties: readonly Tie[]): string[] {
  const choices = new Map<string, Choice>()
  const offer = (side: Side, choice: Choice): void => {
    const held = choices.get(itemOf(side))
    if (held === undefined || isBefore(choice, held)) choices.set(itemOf(side), choice)
  }
  for (const side of sides)
    for (const other of sides) {
      const apartMs = Math.abs(ms(side) - ms(other))
      const isEqual = side.among === other.among && side.quantity === other.quantity
      if (!isEqual || side.isSecond === other.isSecond || side.wallet === other.wallet || apartMs > withinMs)
        continue
      offer(side, { other, outOfTurn: 1, apartMs, otherAccount: side.account === other.account ? 0 : 1 })
    }
  for (const { first, second, farthestMs } of ties) {
    if (farthestMs > withinMs) continue
    const apartMs = Math.abs(ms(first) - ms(second))
    offer(first, { other: second, outOfTurn: 0, apartMs, otherAccount: 0 })
    offer(second, { other: first, outOfTurn: 0, apartMs, otherAccount: 0 })
  }
  const pairs = sides.flatMap((side) => {
    const choice = side.isSecond ? undefined : choices.get(itemOf(side))
    const back = choice === undefined ? undefined : choices.get(itemOf(choice.other))
    return choice !== undefined && back !== undefined && itemOf(back.other) === itemOf(side)
      ? [pairOf(side.among, String(side.place), side.id, choice.other.id, String(choice.apartMs))]
      : []
  })
  return [...new Set(pairs)].sort()
}

const pairOf = (...cells: readonly (string | null | undefined)[]): string => cells.join(' ')

function isBefore(one: Choice, other: Choice): boolean {
  const keys = [
    one.outOfTurn - other.outOfTurn,
    one.apartMs - other.apartMs,
    one.otherAccount - other.otherAccount,
    one.other.place - other.other.place,
    one.other.id < other.other.id ? -1 : one.other.id > other.other.id ? 1 : 0,
  ]
  return (keys.find((difference) => difference !== 0) ?? 0) < 0
}

/** A generator of the numbers from 0 on, below what is asked. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const WORLDS = 250

/** Worlds of a dozen sides each: instants shared or a few apart, one wallet or several, and gaps around the bound. */
function worldsOf(seed: number, withinMs: number, side: (draw: (below: number) => number) => Partial<Side>) {
  const draw = numbersFrom(seed)
  return Array.from({ length: WORLDS }, (_, world): Side[] => {
    const stepsUs = [400, 3_000, (withinMs * 1_000) / 5, withinMs * 1_000][world % 4] as number
    let us = START_US
    return Array.from({ length: 2 + draw(12) }, (_side, at): Side => {
      us += draw(3) === 0 ? 0 : Math.round((draw(5) * stepsUs) / 2)
      return {
        ...{ among: `w${world}`, account: 'a', quantity: draw(4) === 0 ? '2' : '1', us, wallet: '' },
        ...{ isSecond: draw(2) === 1, place: 0, id: `${draw(1_000)}-${at}` },
        ...side(draw),
      }
    })
  })
}

const found = (rows: readonly Readonly<Record<string, string | null>>[]): string[] =>
  rows
    .map(({ among, first_place, first_id, second_id, apart_ms }) =>
      pairOf(among, first_place, first_id, second_id, apart_ms),
    )
    .sort()

test('transfers: as a comparison of all legs finds them, with wallets of one and of several accounts', async () => {
  const worlds = worldsOf(1, 300_000, (draw) => {
    const [account, wallet] = [`a${draw(2)}`, draw(3)]
    return { account, wallet: `${account}/${wallet}` }
  })
  const expected = worlds.flatMap((sides) => byHand(sides, 300_000, []))
  expect(expected.length).toBeGreaterThan(WORLDS)
  const rows = await runModel('staging.nearest_transfers', {
    'staging.untied_legs': sidesTable(worlds.flat()),
  })
  expect(found(rows)).toEqual(expected.sort())
})

test('imports: legs by place, records with two quantities, and those tied in their order first', async () => {
  const day = 86_400_000
  const draw = numbersFrom(7)
  const worlds = worldsOf(2, day, () => ({})).map((sides) =>
    sides.flatMap((side, at): Side[] => {
      if (!side.isSecond) return [{ ...side, wallet: 'import', place: 1 + at, id: '' }]
      const record = { ...side, wallet: 'record' }
      return draw(3) === 0 ? [record, { ...record, quantity: record.quantity === '1' ? '2' : '1' }] : [record]
    }),
  )
  // Any first with any second, each once: what ties them is not this model's concern.
  const ties = worlds.flatMap((sides): Tie[] => {
    const [first, second] = [sides.find((one) => !one.isSecond), sides.findLast((one) => one.isSecond)]
    if (first === undefined || second === undefined || draw(2) === 0) return []
    return [{ among: first.among, first, second, farthestMs: draw(2) === 0 ? day : day + 1 }]
  })
  const expected = worlds.flatMap((sides) =>
    byHand(
      sides,
      day,
      ties.filter(({ among }) => among === sides[0]?.among),
    ),
  )
  expect(expected.length).toBeGreaterThan(WORLDS)
  const rows = await runModel('staging.nearest_imports', {
    'staging.imported_sides': sidesTable(worlds.flat()),
    'staging.imported_turns': turnsTable(ties),
  })
  expect(found(rows)).toEqual(expected.sort())
})

test('five thousand equal transfers within a minute, which would be twenty-five million pairs', async () => {
  const sides = Array.from({ length: 5_000 }, (_, at): Side[] => {
    const us = START_US + at * 10_000
    const base = { among: '', quantity: '1', place: 0 }
    return [
      { ...base, account: 'a', wallet: 'a', us, isSecond: false, id: `out-${at}` },
      { ...base, account: 'b', wallet: 'b', us: us + 3_000, isSecond: true, id: `in-${at}` },
    ]
  })
  const rows = await runModel('staging.nearest_transfers', {
    'staging.untied_legs': sidesTable(sides.flat()),
  })
  expect(rows).toHaveLength(5_000)
  const wrong = rows.filter(({ first_id, second_id }) => first_id?.slice(4) !== second_id?.slice(3))
  expect(wrong).toEqual([])
})
