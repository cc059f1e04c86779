// Files that the configuration names: JSON, checked against a schema. Everything that is wrong with one is a `ConfigError`. And
// the simplest of them, PLANS_FILE: the plans in the form of `GET /plans`, and the terms in which they are sold, checked strictly, because a
// misspelt limit would never apply.
import { readFileSync } from 'node:fs'
import Type, { type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { assembleCatalogue, type Catalogue, LONGEST_TERM, type Plan, SEED_PLANS } from '../core/plan.js'

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

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const TermSchema = Type.Object(
  { months: Type.Integer({ minimum: 1, maximum: LONGEST_TERM }), price: Count },
  { additionalProperties: false },
)

const PlanSchema = Type.Object(
  {
    // It stands in addresses, in the provider's metadata and in the database.
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' }),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    price: Count,
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    limits: Type.Object(
      { projects: Count, domains_per_project: Count, deploys_per_day: Count, storage_mb: Count },
      { additionalProperties: false },
    ),
    terms: Type.Optional(Type.Array(TermSchema, { minItems: 1, maxItems: LONGEST_TERM })),
  },
  { additionalProperties: false },
)
const PlansSchema = Type.Array(PlanSchema, { minItems: 1, maxItems: 100 })

/** Without a file the two plans of `seed.md`. Throws `ConfigError`. */
export function readPlans(file: string | undefined): Catalogue {
  if (file === undefined) return catalogueOf(SEED_PLANS)
  const plans = parseJson('PLANS_FILE', readText('PLANS_FILE', file))
  if (Value.Check(PlansSchema, plans)) return catalogueOf(plans)
  throw new ConfigError(schemaProblems('PLANS_FILE', PlansSchema, plans))
}

function catalogueOf(plans: readonly Plan[]): Catalogue {
  const catalogue = assembleCatalogue(plans)
  if ('free' in catalogue) return catalogue
  throw new ConfigError(catalogue.map((problem) => `PLANS_FILE: ${problem}`))
}
