// Files that the configuration names: JSON that is checked against a schema. Errors are `ConfigError`.
import { readFileSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

/** The service does not start. Each problem is one sentence that names its variable. */
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

/** One problem a field, with its place below `prefix`, and its line if `text` is the file. */
export function schemaProblems(
  name: string,
  schema: TSchema,
  value: unknown,
  prefix = '',
  text?: string,
): readonly string[] {
  const problems = new Map<string, string>()
  for (const error of Value.Errors(schema, value)) {
    // It only repeats that fields reported one by one are wrong.
    if (error.keyword === 'additionalProperties') continue
    const note = (pointer: string, words: string) => {
      if (!problems.has(pointer))
        problems.set(
          pointer,
          `${name} ${text === undefined ? pointer || '/' : positionIn(text, pointer)}: ${words}`,
        )
    }
    const place = prefix + error.instancePath
    if (error.keyword === 'required')
      for (const field of error.params.requiredProperties) note(`${place}/${field}`, 'is missing')
    else note(place, wordsOf(schema, error))
  }
  return [...problems.values()]
}

type SchemaError = ReturnType<typeof Value.Errors>[number]

/** What the value must be. For a text with a pattern, this is the description of its schema. */
function wordsOf(schema: TSchema, error: SchemaError): string {
  if (error.keyword === 'boolean') return 'is not a known field'
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  const { description = '' } = Object(Value.Pointer.Get(schema, error.schemaPath.slice(1)))
  return error.keyword === 'pattern' && description !== '' ? `must be ${description}` : error.message
}

/** `/accounts/0/key (line 3)`. A missing value has the line of the object that lacks it. */
export function positionIn(text: string, pointer: string): string {
  const line = lineOf(text, pointer) ?? lineOf(text, pointer.replace(/\/[^/]*$/, ''))
  return `${pointer || '/'} (line ${line})`
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** The line on which the value at a JSON pointer begins, from 1; null: no such value. `text` is JSON. */
function lineOf(text: string, pointer: string): number | null {
  const path: (string | number)[] = []
  let isKey = false
  let line = 1
  let last = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    line += text.slice(last, index).split('\n').length - 1
    last = index
    if (token === '}' || token === ']') path.pop()
    else if (token === ',') {
      const step = path.pop()
      isKey = typeof step === 'string'
      path.push(typeof step === 'number' ? step + 1 : '')
    } else if (token === ':') isKey = false
    else if (isKey) {
      path.pop()
      path.push(String(JSON.parse(token)))
    } else {
      if (path.map((step) => `/${step}`).join('') === pointer) return line
      if (token === '{') path.push('')
      if (token === '[') path.push(0)
      isKey = token === '{'
    }
  }
  return null
}
