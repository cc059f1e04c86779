// Files that the configuration names: JSON, checked against a schema. Everything that is wrong with one is a `ConfigError`.
import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** The start is refused. Each problem is one sentence that names its variable. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(readonly problems: readonly string[]) {
    super(`the configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

/** `name` is the variable that names the file. */
export function readText(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([`${name} cannot be read: ${codeOf(error)} (${file})`])
  }
}

/** Why a file cannot be read, as `ENOENT`; any other error is thrown again. */
export function codeOf(error: unknown): string {
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

/** One problem a field, with its place below `prefix`. */
export function schemaProblems(
  name: string,
  schema: TSchema,
  value: unknown,
  prefix = '',
): readonly string[] {
  const problems = new Map<string, string>()
  for (const error of Value.Errors(schema, value)) {
    // It sums up what its fields are blamed for one by one.
    if (error.keyword === 'additionalProperties') continue
    const note = (pointer: string, words: string) => {
      if (!problems.has(pointer)) problems.set(pointer, `${name} ${pointer || '/'}: ${words}`)
    }
    const place = prefix + error.instancePath
    if (error.keyword === 'required')
      for (const field of error.params.requiredProperties) note(`${place}/${field}`, 'is missing')
    else note(place, error.keyword === 'boolean' ? 'is not a known field' : error.message)
  }
  return [...problems.values()]
}
