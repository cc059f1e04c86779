// How values travel in PostgreSQL's text format, both ways, and how columns of a row are read: one table for
// both databases. It refuses integers that a JavaScript number cannot hold; a column of another type than the
// schema's is a bug.
import type { Instant } from '../core/instant.js'
import { DatabaseError, type Parameter, type Row } from './database.js'

export function text(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw unexpected(column, value)
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column)
}

export function integer(row: Row, column: string): number {
  const value = row[column]
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw unexpected(column, value)
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column)
}

export function flag(row: Row, column: string): boolean {
  const value = row[column]
  if (typeof value === 'boolean') return value
  throw unexpected(column, value)
}

/** A `timestamptz`, which both databases give as epoch milliseconds. */
export function instant(row: Row, column: string): Instant {
  return integer(row, column)
}

/** SQL: an instant that JSON holds in milliseconds. */
export const fromMilliseconds = (text: string) => `to_timestamp((${text})::bigint / 1000.0)`

export function instantOrNull(row: Row, column: string): Instant | null {
  return row[column] === null ? null : instant(row, column)
}

/** A `jsonb` column that only we write. Its shape is the shape of what we wrote. */
export function json<Shape>(row: Row, column: string): Shape {
  // Written by this program from a value of this type, in a column that nothing else writes.
  return row[column] as Shape
}

/** How an instant travels to the database. */
export function at(instant: Instant): string
export function at(instant: Instant | null): string | null
export function at(instant: Instant | null): Parameter {
  return instant === null ? null : new Date(instant).toISOString()
}

function unexpected(column: string, value: unknown): TypeError {
  return new TypeError(`column ${column} holds a ${value === null ? 'null' : typeof value}`)
}

type Parse = (text: string) => unknown

/** By the type's oid; types that we do not know stay text. */
function parserOf(typeOid: number): Parse {
  return parsers.get(typeOid) ?? asText
}

/** A parameter in text format; null stays null. Arrays become PostgreSQL array literals. */
export function encodeParameter(parameter: Parameter): string | null {
  if (typeof parameter === 'string' || parameter === null) return parameter
  if (typeof parameter === 'object') return encodeArray(parameter)
  return String(parameter)
}

function encodeArray(elements: readonly (string | number | boolean | null)[]): string {
  return `{${elements.map(encodeElement).join(',')}}`
}

function encodeElement(element: string | number | boolean | null): string {
  if (element === null) return 'NULL'
  if (typeof element !== 'string') return String(element)
  return `"${element.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}

const asText: Parse = (text) => text
const asBoolean: Parse = (text) => text === 't'
const asJson: Parse = (text) => JSON.parse(text)

function asInteger(text: string): number {
  const value = Number(text)
  // 22003 is numeric_value_out_of_range: what the server itself says when a number does not fit its type.
  if (!Number.isSafeInteger(value)) throw new DatabaseError('22003', `integer beyond 2^53: ${text}`)
  return value
}

/** `numeric` and floats. A whole number beyond 2^53 is refused, a fraction is rounded as every double is. */
function asNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return asInteger(text)
  return value
}

/** `2026-11-21 05:03:30.123456+00` as epoch milliseconds; what is finer than a millisecond is cut off. */
function asInstant(text: string): number {
  if (USUAL.test(text)) return usualInstant(text)
  if (text === 'infinity') return Number.POSITIVE_INFINITY
  if (text === '-infinity') return Number.NEGATIVE_INFINITY
  // Sessions run in UTC, so this is the usual end; a pooler between us may have handed out another zone.
  const zoned = text.endsWith('+00') ? `${text.slice(0, -3)}Z` : text.replace(/([+-]\d\d)$/, '$1:00')
  const value = Date.parse(zoned.replace(' ', 'T'))
  if (Number.isNaN(value)) throw new DatabaseError('22008', `timestamp outside the calendar we read: ${text}`)
  return value
}

const USUAL = /^[12]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00$/

/** A third of what `Date.parse` takes; a page of payments has 120. */
function usualInstant(text: string): number {
  const two = (index: number) => (text.charCodeAt(index) - 48) * 10 + text.charCodeAt(index + 1) - 48
  const fraction = Number(`${text.slice(20, -3)}000`.slice(0, 3))
  return Date.UTC(two(0) * 100 + two(2), two(5) - 1, two(8), two(11), two(14), two(17), fraction)
}

/** One-dimensional arrays: `{a,"b, c",NULL}`. Our schema has no others. */
function arrayOf(parseElement: Parse): Parse {
  return (text) => splitArray(text).map((element) => (element === null ? null : parseElement(element)))
}

const arrayElement = /"((?:[^"\\]|\\.)*)"|([^,{}]+)/gs

function splitArray(text: string): (string | null)[] {
  const elements: (string | null)[] = []
  for (const [, quoted, bare] of text.matchAll(arrayElement)) {
    if (quoted !== undefined) elements.push(quoted.replace(/\\(.)/gs, '$1'))
    else elements.push(bare === undefined || bare === 'NULL' ? null : bare)
  }
  return elements
}

/** Type oids never change (PostgreSQL, src/include/catalog/pg_type.dat). Array oid after element oid. */
const types: readonly [element: number, array: number, parse: Parse][] = [
  [16, 1000, asBoolean], // bool
  [20, 1016, asInteger], // int8
  [21, 1005, asInteger], // int2
  [23, 1007, asInteger], // int4
  [25, 1009, asText], // text
  [26, 1028, asInteger], // oid
  [114, 199, asJson], // json
  [700, 1021, asNumber], // float4
  [701, 1022, asNumber], // float8
  [1043, 1015, asText], // varchar
  [1082, 1182, asText], // date: a day in a calendar is not an instant
  [1184, 1185, asInstant], // timestamptz
  [1700, 1231, asNumber], // numeric
  [2950, 2951, asText], // uuid
  [3802, 3807, asJson], // jsonb
]

const parsers = new Map<number, Parse>(
  types.flatMap(([element, array, parse]): [number, Parse][] => [
    [element, parse],
    [array, arrayOf(parse)],
  ]),
)

/** The values of one row, as text in the order of the columns. Throws where a value cannot be held. */
export type ReadRow = (values: readonly (string | null)[]) => Row

/** A column as the wire protocol describes it; of two of one name the last wins, as in JavaScript. */
export interface DescribedColumn {
  readonly name: string
  readonly dataTypeID: number
}

export function rowReader(columns: readonly DescribedColumn[]): ReadRow {
  const cells = new Map(
    columns.map(({ name, dataTypeID }, index) => [name, { name, index, parse: parserOf(dataTypeID) }]),
  )
  const empty: Row = shapeOf([...cells.keys()])
  const inOrder = [...cells.values()]
  return (values) => {
    const row: Record<string, unknown> = { ...empty }
    for (const { name, index, parse } of inOrder) {
      const value = values[index]
      if (value !== null && value !== undefined) row[name] = parse(value)
    }
    return row
  }
}

/**
 * An object to copy before its fields are set. A copy of a whole object keeps the shape that V8 is fast with;
 * one that grows by a field at a time loses it after a dozen: 0.4 µs beside 2 for a row of 28 (measured).
 */
export function shapeOf(names: readonly string[]): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))))
}

/** For a statement that gives no rows. */
export const withoutColumns: ReadRow = rowReader([])
