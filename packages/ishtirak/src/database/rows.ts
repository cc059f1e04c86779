// Reads single columns of a row. A value of another type than the schema's is a bug, thrown with the column's name.
import type { Instant } from '../core/instant.js'
import type { Parameter, Row } from './database.js'

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

export function flag(row: Row, column: string): boolean {
  const value = row[column]
  if (typeof value === 'boolean') return value
  throw unexpected(column, value)
}

/** A `timestamptz`, which both databases give as epoch milliseconds. */
export function instant(row: Row, column: string): Instant {
  return integer(row, column)
}

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
