// How values are sent and read in PostgreSQL's text format, and how a row is described once for its type, its
// reader and its lists of columns. A column of another type than the schema's is a bug.
import type { Field } from 'pg-protocol/dist/messages.js'
import type { Instant } from '../core/instant.js'
import { DatabaseError, type Parameter, type Row } from './database.js'

/** Reads one value from a row: from one column, or from several as a description does. */
export interface Read<Value> {
  (row: Row, column: string): Value
  /** The SQL type of its column; `text` by default. */
  readonly type?: string
  /** The columns of a description, with those of its inner descriptions. */
  readonly cells?: readonly Partial<Cell>[]
}

interface Cell {
  /** The field of the outer description that holds this field's description. */
  readonly inside?: string | undefined
  readonly field: string
  readonly column: string
  readonly read: Read<unknown>
}

/** A description of rows. It reads one, and can be a field of another description. */
export interface Description<Value> {
  (row: Row): Value
  readonly cells: readonly Cell[]
}

function reader<Value>(type: string, fits: (value: unknown) => boolean): Read<Value> {
  const read = (row: Row, column: string): Value => {
    const value = row[column]
    if (fits(value)) return value as Value
    // The id tells an operator which row is damaged, since a list fails as a whole.
    const of = typeof row.id === 'string' ? `${row.id}: ` : ''
    throw new TypeError(`${of}column ${column} holds a ${value === null ? 'null' : typeof value}`)
  }
  return Object.assign(read, { type })
}

function orNull<Value>(one: Read<Value>): Read<Value | null> {
  const read = (row: Row, column: string) => (row[column] === null ? null : one(row, column))
  return Object.assign(read, { type: one.type ?? 'text' })
}

export const text = reader<string>('text', (value) => typeof value === 'string')
export const textOrNull = orNull(text)
export const integer = reader<number>('bigint', Number.isSafeInteger)
export const integerOrNull = orNull(integer)
export const flag = reader<boolean>('bool', (value) => typeof value === 'boolean')
/** A `timestamptz`, which both databases return as epoch milliseconds. */
export const instant = reader<Instant>('timestamptz', Number.isSafeInteger)
export const instantOrNull = orNull(instant)
/** A text out of a fixed list. The column's check constraint has the same list. */
export const word = text as <Word extends string>(row: Row, column: string) => Word
export const wordOrNull = textOrNull as <Word extends string>(row: Row, column: string) => Word | null
/** A `jsonb` column. Only this program writes it, so its shape is the shape of what was written. */
export const json = reader<unknown>('jsonb', () => true) as <Shape>(row: Row, column: string) => Shape

type Fields = Readonly<Record<string, Read<unknown>>>
type Values<Of extends Fields> = { readonly [Field in keyof Of]: ReturnType<Of[Field]> }

/**
 * `rowOf({ userId: text, plan: json<Plan> })`: each field is read from the column of its name, here `user_id`
 * and `plan`; any function of a row can replace a field.
 */
export function rowOf<Of extends Fields>(fields: Of): Description<Values<Of>> {
  const own = Object.entries(fields).map(([field, read]) => ({ field, column: columnNamed(field), read }))
  const blank = blankOf(own.map(({ field }) => field))
  const readRow = (row: Row) => {
    const values = { ...blank }
    for (const { field, column, read } of own) values[field] = read(row, column)
    // `values` was filled from the same list of fields.
    return values as Values<Of>
  }
  const cells = own.flatMap((cell) =>
    (cell.read.cells ?? [{}]).map((inner) => ({ ...cell, ...inner, inside: inner.field && cell.field })),
  )
  return Object.assign(readRow, { cells })
}

/** Reads the first row; null: there is none. */
export async function firstOf<Value>(rows: Promise<readonly Row[]>, read: (row: Row) => Value) {
  const [row] = await rows
  return row ? read(row) : null
}

/** Rows are copies of a blank one: an object that grows field by field takes three times the memory. */
const blankOf = (names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, null]))

/** A field whose column has another name. */
export function column<Value>(name: string, read: Read<Value>): Read<Value> {
  return Object.assign((row: Row) => read(row, name), { cells: [{ column: name, read }] })
}

const columnNamed = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export function columnsOf({ cells }: Description<unknown>, table?: string): string {
  return cells.map(({ column }) => (table ? `${table}.${column}` : column)).join(', ')
}

const typeOf = ({ read }: Cell) => read.type ?? 'text'

/** The columns of `jsonb_to_record(…) as n(…)`. */
export function recordOf({ cells }: Description<unknown>): string {
  return cells.map((cell) => `${cell.column} ${typeOf(cell)}`).join(', ')
}

/** Writes what `recordOf` reads. */
export function writerOf<Value extends object>({ cells }: Description<Value>) {
  const blank = blankOf(cells.map(({ column }) => column))
  return (value: Value): Readonly<Record<string, unknown>> => {
    const columns = { ...blank }
    // The description has fields of these names, and an object for each inner description.
    const outer = value as Readonly<Record<string, unknown>>
    for (const cell of cells) {
      const given = Object(cell.inside === undefined ? outer : outer[cell.inside])[cell.field]
      columns[cell.column] = typeOf(cell) === 'timestamptz' && typeof given === 'number' ? at(given) : given
    }
    return columns
  }
}

/** The form in which an instant is sent to the database. */
export function at(instant: Instant): string
export function at(instant: Instant | null): string | null
export function at(instant: Instant | null): Parameter {
  return instant === null ? null : new Date(instant).toISOString()
}

/** A parameter in text format; null stays null. Arrays become PostgreSQL array literals. */
export function encodeParameter(parameter: Parameter): string | null {
  if (parameter === null) return null
  return typeof parameter === 'object' ? `{${parameter.map(encodeElement).join(',')}}` : String(parameter)
}

const encodeElement = (element: string | number | boolean | null) =>
  element === null ? 'NULL' : `"${String(element).replace(/["\\]/g, '\\$&')}"`

type Parse = (text: string) => unknown
const asText: Parse = (text) => text

/** A whole number beyond 2^53 is refused (22003 is numeric_value_out_of_range). A fraction is rounded. */
function asNumber(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && !Number.isSafeInteger(value))
    throw new DatabaseError('22003', `integer beyond 2^53: ${text}`)
  return value
}

/** `2026-11-21 05:03:30.123456+00` as epoch milliseconds. A pooler may have set a zone such as `+05:30`. */
function asInstant(text: string): number {
  const value = Date.parse(`${text.slice(0, 10)}T${text.slice(11)}${/[+-]\d\d$/.test(text) ? ':00' : ''}`)
  if (Number.isNaN(value)) throw new DatabaseError('22008', `timestamp outside the calendar we read: ${text}`)
  return value
}

const ARRAY_ELEMENT = /"((?:[^"\\]|\\.)*)"|[^,{}]+/gs

/** One-dimensional arrays: `{a,"b, c",NULL}`. Our schema has no others. */
const arrayOf = (parse: Parse) => (text: string) =>
  Array.from(text.matchAll(ARRAY_ELEMENT), ([bare, quoted]) => {
    if (quoted !== undefined) return parse(quoted.replace(/\\(.)/gs, '$1'))
    return bare === 'NULL' ? null : parse(bare)
  })

/** Type oids never change (PostgreSQL, src/include/catalog/pg_type.dat). Array oid after element oid. */
const types: readonly [parse: Parse, ...oids: (readonly [element: number, array: number])[]][] = [
  [(text) => text === 't', [16, 1000]],
  // int8, int2, int4, oid, float4, float8, numeric
  [asNumber, [20, 1016], [21, 1005], [23, 1007], [26, 1028], [700, 1021], [701, 1022], [1700, 1231]],
  // text, varchar, uuid, and date: a day in a calendar is not an instant
  [asText, [25, 1009], [1043, 1015], [2950, 2951], [1082, 1182]],
  // json, jsonb
  [JSON.parse, [114, 199], [3802, 3807]],
  [asInstant, [1184, 1185]],
]

const parsers = new Map<number, Parse>()
for (const [parse, ...oids] of types)
  for (const [element, array] of oids) parsers.set(element, parse).set(array, arrayOf(parse))

/** Reads one row from its texts, in the order of the columns. Throws if a value cannot be represented. */
export type ReadRow = (values: readonly (string | null)[]) => Row

/** Unknown types stay text. If two columns have one name, the last wins, as in JavaScript. */
export function rowReader(columns: readonly Pick<Field, 'name' | 'dataTypeID'>[]): ReadRow {
  const cells = columns.map(({ name, dataTypeID }) => ({ name, parse: parsers.get(dataTypeID) ?? asText }))
  const blank = blankOf(columns.map(({ name }) => name))
  return (values) => {
    const row = { ...blank }
    let index = 0
    for (const { name, parse } of cells) {
      const value = values[index++]
      row[name] = typeof value === 'string' ? parse(value) : null
    }
    return row
  }
}
