// Turns values in centimes and instants into the answer's dinars and timestamps, by its schema.
import type { Static, TSchema } from 'typebox'
import { toTimestamp } from '../core/instant.js'

/**
 * `of` has the names of the answer, or the same names in camel case. It has centimes for the answer's dinars,
 * and instants for its timestamps.
 */
export function viewAs<Schema extends TSchema>(schema: Schema, of: unknown): Static<Schema> {
  return shown(schema, of) as Static<Schema>
}

function shown(schema: TSchema, of: unknown): unknown {
  const { anyOf, properties, items, type, const: only } = Object(schema)
  if (only !== undefined) return only
  if (of === null) return null
  if (anyOf) return shown(anyOf[0], of)
  if (Array.isArray(of)) return of.map((one) => shown(items, one))
  if (properties) {
    const given = Object(of)
    const members = Object.entries<TSchema>(properties).map(([name, member]) => {
      const value = name in given ? given[name] : given[camelCase(name)]
      return [name, shown(member, value)]
    })
    return Object.fromEntries(members)
  }
  if (typeof of !== 'number' || type === 'integer') return of
  return type === 'string' ? toTimestamp(of) : of / 100
}

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
