// What the TypeBox schemas of the routes are used for: validation of input, serializers of answers, names in
// the OpenAPI document. A body is never coerced. A query's numbers, `true` and `false` are read from text.
import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'
import type { FastifySchemaCompiler } from 'fastify'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { BillingError, type ValidationCode, type ValidationProblem } from '../core/error.js'
import { toTimestamp } from '../core/instant.js'
import { LOCALES } from '../core/locale.js'
import { errorsByField } from '../runtime/config-file.js'

// The library stops after 8 errors of a value. A form with every field wrong is reported at once. The build
// bundles the library, so a host's own copy keeps its limit.
Settings.Set({ maxErrors: 32 })

/** The caller chooses the names of unknown fields, so they are cut to keep the answer small. */
const LONGEST_POINTER = 200

const POINTER_PREFIX: Readonly<Record<string, string>> = {
  querystring: '/query',
  params: '/path',
  headers: '/headers',
}

const CODES: Readonly<Record<string, ValidationCode>> = {
  required: 'required',
  type: 'wrong_type',
  const: 'not_allowed',
  enum: 'not_allowed',
  minimum: 'too_small',
  maximum: 'too_large',
  minLength: 'too_short',
  minItems: 'too_short',
  maxLength: 'too_long',
  maxItems: 'too_long',
  format: 'wrong_format',
  pattern: 'wrong_format',
  // The schema `false` is used only to forbid further fields.
  boolean: 'unknown_field',
}

const validators = new WeakMap<TSchema, Validator>()

/** Compiles a schema at its first value, once a process: compiling all took a quarter of the start. */
function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator
}

/** Fastify's compiler hook. A value that does not fit is a `BillingError` with `validation_failed`. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const prefix = POINTER_PREFIX[httpPart] ?? ''
  const readValue = httpPart === 'querystring' ? queryReader(schema) : (value: unknown) => value
  return (value: unknown) => {
    const validator = validatorOf(schema)
    const read = readValue(value)
    if (validator.Check(read)) return { value: read }
    return {
      error: new BillingError('validation_failed', { problems: describe(validator.Errors(read), prefix) }),
    }
  }
}

/** Validates a host's value, because a host in JavaScript has no compiler. Throws `validation_failed`. */
export function checker<Shape>(schema: TSchema): (value: Shape) => Shape {
  const check = validatorCompiler({ schema, method: '', url: '' })
  return (value) => {
    const { error } = check(value) as { readonly error?: Error }
    if (error) throw error
    return value
  }
}

/**
 * Reports the first problem of each field. A union reports several, of which the first names the kind. A
 * problem of a member that accepts no object is dropped if a field of the object is named.
 */
function describe(errors: readonly TLocalizedValidationError[], prefix: string): ValidationProblem[] {
  const problems = Array.from(errorsByField(errors, prefix), ([pointer, { keyword, params }]) => {
    const bound = 'limit' in params ? Number(params.limit) : undefined
    return { pointer: pointer.slice(0, LONGEST_POINTER), code: CODES[keyword] ?? 'invalid', bound }
  })
  return problems.filter(
    ({ pointer, code }, index) =>
      // Long pointers may be equal once they are cut.
      problems.findIndex((one) => one.pointer === pointer) === index &&
      (code !== 'wrong_type' || !problems.some((one) => one.pointer.startsWith(`${pointer}/`))),
  )
}

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  // Only plain decimal digits: `1e3`, `0x10` and the empty text stay text and are refused. 15 digits are
  // always exact in a double. A number is an amount in dinars, with two digits of centimes at most.
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  number: (text) => (/^-?\d{1,13}(\.\d{1,2})?$/.test(text) ? Number(text) : text),
  boolean: (text) => (/^(true|false)$/.test(text) ? text === 'true' : text),
}

/** Reads the fields of a query that are not text. A field that is sent twice is a list, and stays one. */
function queryReader({ properties = {} }: { readonly properties?: object }): (value: unknown) => unknown {
  const types = new Map(Object.entries(properties).map(([name, { type }]) => [name, type]))
  const read = (name: string, text: unknown) =>
    typeof text === 'string' ? (READERS[types.get(name)]?.(text) ?? text) : text
  return (value) =>
    Object.fromEntries(Object.entries(Object(value)).map(([name, text]) => [name, read(name, text)]))
}

const buildSerializers = SerializerSelector()
const serializers = new WeakMap<object, Serializer>()

/**
 * For Fastify's `schemaController`: one serializer for each schema of the process, compiled at its first
 * answer. Fastify alone compiles the same problem for dozens of routes: two thirds of building an app.
 */
export const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildSerializers(externalSchemas, options)
  return (route) => {
    const schema: object = Object(route.schema)
    let serializer: Serializer | undefined
    return (answer) => {
      if (!serializer) {
        serializer = serializers.get(schema) ?? compile(route)
        serializers.set(schema, serializer)
      }
      return serializer(answer)
    }
  }
}

/** `of` has the answer's names, also in camel case, centimes for its dinars, instants for its timestamps. */
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

/** Each shape becomes a component of the OpenAPI document under its key. A title checks nothing. */
export function nameSchemas(schemas: Readonly<Record<string, object>>): void {
  for (const [title, schema] of Object.entries(schemas)) Object.assign(schema, { title })
}

/** The schema of an answer or a part of one, with its name in the OpenAPI document. */
export const object = <Members extends TProperties>(
  title: string,
  members: Members,
  of?: { readonly examples: readonly object[] },
) => Type.Object(members, { title, ...of })

/** The schema of a request or an event, with its name in the OpenAPI document. Other members are refused. */
export const request = <Members extends TProperties>(
  title: string,
  members: Members,
  of?: { readonly description?: string; readonly examples?: readonly object[] },
) => Type.Object(members, { additionalProperties: false, title, ...of })

/** The schema of a query, which has no name. Other members are refused. */
export const query = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false })

export const nullable = <Schema extends TSchema>(schema: Schema, of?: { readonly description: string }) =>
  Type.Union([schema, Type.Null()], of)

export const timestamp = Type.String({
  description: 'UTC, `YYYY-MM-DDThh:mm:ssZ`, no fraction',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$',
  examples: ['2026-12-21T09:30:00Z'],
})

export const locale = Type.Enum([...LOCALES])

nameSchemas({ Timestamp: timestamp, Locale: locale })
