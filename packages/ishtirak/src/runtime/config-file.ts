// The JSON files that the configuration names, and the packages that it needs. Errors are `ConfigError`.
import { readFileSync } from 'node:fs'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { missingPackages } from './package.js'

/** The service does not start. Each problem is one sentence that names its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

/** Throws `ConfigError` if one is not installed, with the command that installs it. */
export function requirePackages(wanted: string, names: readonly string[]): void {
  const missing = missingPackages(names).join(' ')
  if (missing !== '') throw new ConfigError([`${wanted}: packages are not installed: npm install ${missing}`])
}

/** `name` is the variable that names the file. */
export function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([`${name} cannot be read: ${errorCodeOf(error)} (${file})`])
  }
}

/** Why a file cannot be read, such as `ENOENT`. Any other error is thrown again. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code)
  throw error
}

export function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) throw new ConfigError([`${name} is not JSON: ${error.message}`])
    throw error
  }
}

/** An object that has no further members. */
export const closed = <Members extends TProperties>(members: Members) =>
  Type.Object(members, { additionalProperties: false })

/** The value, if it fits. Else throws `ConfigError` with every problem. */
export function fitting<Schema extends TSchema>(
  name: string,
  schema: Schema,
  value: unknown,
  prefix?: string,
): Static<Schema> {
  if (Value.Check(schema, value)) return value
  throw new ConfigError(schemaProblems(name, schema, value, prefix))
}

/** One problem a field, with its place below `prefix`. */
export function schemaProblems(
  name: string,
  schema: TSchema,
  value: unknown,
  prefix = '',
): readonly string[] {
  const errors = errorsByField(Value.Errors(schema, value), prefix)
  return Array.from(errors, ([place, error]) => `${name} ${place || '/'}: ${wordsOf(schema, error)}`)
}

type SchemaError = ReturnType<typeof Value.Errors>[number]

/** The first error of each field, by its pointer. A field that is missing has the error of its object. */
export function errorsByField(errors: readonly SchemaError[], prefix: string): Map<string, SchemaError> {
  const first = new Map<string, SchemaError>()
  for (const error of errors) {
    // It only repeats that fields reported one by one are wrong.
    if (error.keyword === 'additionalProperties') continue
    const missing = error.keyword === 'required' && error.params.requiredProperties.map((name) => `/${name}`)
    for (const field of missing || ['']) {
      const pointer = prefix + error.instancePath + field
      if (!first.has(pointer)) first.set(pointer, error)
    }
  }
  return first
}

/** A rule that a schema cannot express, or only in unhelpful words. `place` is a pointer into the file. */
export type Rule = readonly [isBroken: boolean, place: string, words: string]

/** Throws `ConfigError` with every rule that is broken. */
export function refuseBroken(name: string, rules: readonly Rule[]): void {
  const problems = rules.flatMap(([isBroken, place, words]) =>
    isBroken ? [`${name}${place && ` ${place}`}: ${words}`] : [],
  )
  if (problems.length > 0) throw new ConfigError(problems)
}

/** What the value must be. For a text with a pattern, this is the description of its schema. */
function wordsOf(schema: TSchema, error: SchemaError): string {
  if (error.keyword === 'required') return 'is missing'
  if (error.keyword === 'boolean') return 'is not a known field'
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  const { description = '' } = Object(Value.Pointer.Get(schema, error.schemaPath.slice(1)))
  return error.keyword === 'pattern' && description !== '' ? `must be ${description}` : error.message
}
