// What an endpoint accepts, declared beside it: each parameter has a reader that converts the request's text or refuses
// it. Unknown parameters are ignored; a number in place of a string is refused (part 1, rule 1).

import { isDecimal, money } from '../core/money.ts'
import { refusals } from './refusals.ts'

export type Reader<T> = (raw: unknown, name: string) => T

export interface Param<T> {
  read: (raw: unknown, name: string) => T
}

/** Parameters by name; `Values` derives the type of each. */
export type Shape = Record<string, Param<unknown>>
export type Values<S extends Shape> = { [Name in keyof S]: ReturnType<S[Name]['read']> }

const isAbsent = (raw: unknown): boolean => raw === undefined || raw === null || raw === ''

export function required<T>(reader: Reader<T>): Param<T> {
  return {
    read: (raw, name) => {
      if (isAbsent(raw)) throw refusals.missing(name)
      return reader(raw, name)
    },
  }
}

export function optional<T>(reader: Reader<T>): Param<T | undefined> {
  return { read: (raw, name) => (isAbsent(raw) ? undefined : reader(raw, name)) }
}

export function withDefault<T>(reader: Reader<T>, fallback: T): Param<T> {
  return { read: (raw, name) => (isAbsent(raw) ? fallback : reader(raw, name)) }
}

export function readAll<S extends Shape>(shape: S, source: Record<string, unknown>): Values<S> {
  return Object.fromEntries(
    Object.entries(shape).map(([name, param]) => [name, param.read(source[name], name)]),
  ) as Values<S>
}

export const string: Reader<string> = (raw, name) => {
  if (typeof raw !== 'string') throw refusals.wrong(name, 'must be a string')
  return raw
}

/** A coin, where the document requires capital letters. */
export const capitals: Reader<string> = (raw, name) => {
  const value = string(raw, name)
  if (value !== value.toUpperCase()) throw refusals.wrong(name, 'must be in capital letters')
  return value
}

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return (raw, name) => {
    const value = values.find((known) => known === raw)
    if (value === undefined) throw refusals.wrong(name, `must be one of ${values.join(', ')}`)
    return value
  }
}

/** As `oneOf`, but a lower-case value is accepted too. */
export function oneOfAnyCase<const T extends string>(values: readonly T[]): Reader<T> {
  const reader = oneOf(values)
  return (raw, name) => reader(string(raw, name).toUpperCase(), name)
}

const digits =
  (atMost: number): Reader<string> =>
  (raw, name) => {
    const value = string(raw, name)
    if (!/^\d+$/.test(value) || value.length > atMost) throw refusals.wrong(name, 'must be a whole number')
    return value
  }

/** A record's id, as a cursor. */
export const id: Reader<string> = digits(30)

/** Unix milliseconds. */
export const time: Reader<number> = (raw, name) => Number(digits(15)(raw, name))

export function count(max: number): Reader<number> {
  return (raw, name) => {
    const value = Number(digits(9)(raw, name))
    if (value < 1 || value > max) throw refusals.wrong(name, `must be from 1 to ${max}`)
    return value
  }
}

/** A positive decimal, as money. */
export const positive: Reader<bigint> = (raw, name) => {
  const value = string(raw, name)
  if (!isDecimal(value) || money(value) <= 0n) throw refusals.wrong(name, 'must be a positive number')
  return money(value)
}

/** A string of a given length. */
export function stringOf(min: number, max: number): Reader<string> {
  return (raw, name) => {
    const value = string(raw, name)
    if (value.length < min || value.length > max) {
      throw refusals.wrong(name, `must have from ${min} to ${max} characters`)
    }
    return value
  }
}

/** An array of at most this many items. */
export function listOf<T>(reader: Reader<T>, max: number): Reader<T[]> {
  return (raw, name) => {
    if (!Array.isArray(raw)) throw refusals.wrong(name, 'must be an array')
    if (raw.length > max) throw refusals.wrong(name, `must have at most ${max} items`)
    return raw.map((item, index) => reader(item, `${name}[${index}]`))
  }
}

/** A parameter that must be present but may be empty, which reads as nothing. */
export function present<T>(reader: Reader<T>): Param<T | undefined> {
  return {
    read: (raw, name) => {
      if (raw === undefined || raw === null) throw refusals.missing(name)
      return raw === '' ? undefined : reader(raw, name)
    },
  }
}
