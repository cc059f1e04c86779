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
  const problems = new Map<string, string>()
  const note = (pointer: string, words: string) => {
    if (!problems.has(pointer)) problems.set(pointer, `${name} ${pointer || '/'}: ${words}`)
  }
  for (const error of Value.Errors(schema, value)) {
    const place = prefix + error.instancePath
    // It only repeats that fields reported one by one are wrong.
    if (error.keyword === 'additionalProperties') continue
    if (error.keyword === 'required')
      for (const field of error.params.requiredProperties) note(`${place}/${field}`, 'is missing')
    else note(place, wordsOf(schema, error))
  }
  return [...problems.values()]
}

/** A rule that a schema cannot express, or only in unhelpful words. `place` is a pointer into the file. */
export type Rule = readonly [isBroken: boolean, place: string, words: string]

/** The problems of the rules that are broken. */
export function ruleProblems(name: string, rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(([isBroken, place, words]) =>
    isBroken ? [`${name}${place && ` ${place}`}: ${words}`] : [],
  )
}

type SchemaError = ReturnType<typeof Value.Errors>[number]

/** What the value must be. For a text with a pattern, this is the description of its schema. */
function wordsOf(schema: TSchema, error: SchemaError): string {
  if (error.keyword === 'boolean') return 'is not a known field'
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  const { description = '' } = Object(Value.Pointer.Get(schema, error.schemaPath.slice(1)))
  return error.keyword === 'pattern' && description !== '' ? `must be ${description}` : error.message
}
