// What the TypeBox schemas of the routes become: checks of what comes in, serializers of answers, names in
// the OpenAPI document. A body is never coerced; of the query string, whole numbers, `true` and
// `false` are read from text.
import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'
import type { FastifySchemaCompiler } from 'fastify'
import { type TProperties, type TSchema, Type } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { BillingError, type ValidationCode, type ValidationProblem } from '../core/error.js'
import { LOCALES } from '../core/locale.js'

/** The library stops at 8 faults of a value; a form with every field wrong is reported at once. */
const MOST_PROBLEMS = 32
/** Names of unknown fields come from the caller: cut, so that the answer stays small. */
const LONGEST_POINTER = 200

const POINTER_PREFIX: Readonly<Record<string, string>> = {
  querystring: '/query',
  params: '/path',
  headers: '/headers',
}

const CODES: Readonly<Record<string, ValidationCode>> = {
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
  // A schema of `false` stands only where further fields are forbidden.
  boolean: 'unknown_field',
}

/** Those whose problem names the bound. */
const BOUNDED: ReadonlySet<string> = new Set(['minimum', 'maximum'])

const validators = new WeakMap<TSchema, Validator>()

/** Compiles a schema for its first value, once a process: compiling all of them was a quarter of a start. */
function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema)
  validators.set(schema, validator)
  return validator
}

/** Fastify's compiler hook. A value that does not fit is a `BillingError` with `validation_failed`. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const prefix = POINTER_PREFIX[httpPart] ?? ''
  const readers = httpPart === 'querystring' ? readersOf(schema) : NO_READERS
  return (value: unknown) => {
    const validator = validatorOf(schema)
    const read = readers.size > 0 ? readFields(value, readers) : value
    if (validator.Check(read)) return { value: read }
    return {
      error: new BillingError('validation_failed', { problems: describe(faultsOf(validator, read), prefix) }),
    }
  }
}

/** The library's limit is one for the whole process, where a host of ours may use the library too. */
function faultsOf(
  validator: Pick<Validator, 'Errors'>,
  value: unknown,
): readonly TLocalizedValidationError[] {
  const { maxErrors } = Settings.Get()
  Settings.Set({ maxErrors: MOST_PROBLEMS })
  try {
    return validator.Errors(value)
  } finally {
    Settings.Set({ maxErrors })
  }
}

/**
 * One problem a field: the first that was found. Union members give several, the first names the kind. A
 * member that would take no object at all says nothing where a field of the object is named.
 */
function describe(
  errors: readonly TLocalizedValidationError[],
  prefix: string,
): readonly ValidationProblem[] {
  const problems = new Map<string, ValidationProblem>()
  for (const problem of errors.flatMap(toProblems)) {
    const pointer = (prefix + problem.pointer).slice(0, LONGEST_POINTER)
    if (!problems.has(pointer)) problems.set(pointer, { ...problem, pointer })
  }
  const named = [...problems.keys()]
  return [...problems.values()].filter(
    ({ pointer, code }) => code !== 'wrong_type' || !named.some((one) => one.startsWith(`${pointer}/`)),
  )
}

function toProblems(error: TLocalizedValidationError): readonly ValidationProblem[] {
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({
      pointer: `${error.instancePath}/${name}`,
      code: 'required' as const,
    }))
  }
  // It only sums up the fields that were already reported one by one.
  if (error.keyword === 'additionalProperties') return []
  const bound = BOUNDED.has(error.keyword) && 'limit' in error.params ? Number(error.params.limit) : undefined
  return [{ pointer: error.instancePath, code: CODES[error.keyword] ?? 'invalid', bound }]
}

type Readers = ReadonlyMap<string, (text: string) => unknown>
const NO_READERS: Readers = new Map()

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  // Plain decimal digits only: `1.5`, `1e3`, `0x10` and the empty text stay text and are refused as such. 15
  // digits are always exact in a double.
  integer: (text) => (/^-?\d{1,15}$/.test(text) ? Number(text) : text),
  boolean: (text) => (/^(true|false)$/.test(text) ? text === 'true' : text),
}

/** By the names of the fields that are no text. */
function readersOf(schema: TSchema): Readers {
  const { properties = {} }: { readonly properties?: object } = schema
  return new Map(
    Object.entries(properties).flatMap(([name, { type }]) => {
      const reader = READERS[type]
      return reader ? [[name, reader] as const] : []
    }),
  )
}

function readFields(value: unknown, readers: Readers): unknown {
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [
      name,
      typeof text === 'string' ? (readers.get(name)?.(text) ?? text) : text,
    ]),
  )
}

const buildSerializers = SerializerSelector()
/** By the schemas that they may refer to, and by the route's schema itself: writing it as text is slow. */
const serializers = new Map<string, WeakMap<object, Serializer>>()

/**
 * For Fastify's `schemaController`: one serializer for each schema of the process. Fastify alone compiles the
 * same problem for dozens of routes, two thirds of building an app. Compiled for the first answer.
 */
export const buildSerializer: SerializerFactory = (externalSchemas, options) => {
  const compile = buildSerializers(externalSchemas, options)
  const referred = JSON.stringify(externalSchemas)
  const known = serializers.get(referred) ?? new WeakMap<object, Serializer>()
  serializers.set(referred, known)
  return (route) => {
    // A schema that is only `true` or `false` is compiled each time.
    const schema: object = Object(route.schema)
    const serializer = known.get(schema) ?? atFirstUse(() => compile(route))
    known.set(schema, serializer)
    return serializer
  }
}

function atFirstUse(compile: () => Serializer): Serializer {
  let serializer: Serializer | undefined
  return (answer) => {
    serializer ??= compile()
    return serializer(answer)
  }
}

/** Each shape becomes a component of the OpenAPI document under its key. A title checks nothing. */
export function nameSchemas(schemas: Readonly<Record<string, object>>): void {
  for (const [title, schema] of Object.entries(schemas)) Object.assign(schema, { title })
}

/** An answer, or a part of one, under its name in the OpenAPI document. */
export const object = <Members extends TProperties>(
  title: string,
  members: Members,
  of?: { readonly examples: readonly object[] },
) => Type.Object(members, { title, ...of })

/** What is asked for, or sent as an event, under its name in the OpenAPI document: no other members. */
export const request = <Members extends TProperties>(
  title: string,
  members: Members,
  of?: { readonly description?: string; readonly examples?: readonly object[] },
) => Type.Object(members, { additionalProperties: false, title, ...of })

/** The same without a name, such as a query. */
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
