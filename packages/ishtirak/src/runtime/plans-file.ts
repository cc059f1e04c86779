// Reads PLANS_FILE: the plans in the form of `GET /plans`, checked strictly, because a misspelt limit would
// never apply.
import { readFileSync } from 'node:fs'
import Type from 'typebox'
import { Value } from 'typebox/value'
import { assembleCatalogue, type Catalogue, SEED_PLANS } from '../core/plan.js'

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

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
  },
  { additionalProperties: false },
)
const PlansSchema = Type.Array(PlanSchema, { minItems: 1, maxItems: 100 })

/** Without a file the two plans of `seed.md`. What is wrong comes back as sentences, without the file's content. */
export function readPlans(file: string | undefined): Catalogue | readonly string[] {
  if (file === undefined) return assembleCatalogue(SEED_PLANS)
  const read = readJson(file)
  if (!read.ok) return [read.problem]
  if (Value.Check(PlansSchema, read.value)) return assembleCatalogue(read.value)
  return Value.Errors(PlansSchema, read.value).map(
    ({ instancePath, message }) => `${instancePath || '/'} ${message}`,
  )
}

function readJson(file: string): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    return { ok: true, value: JSON.parse(readFileSync(file, 'utf8')) }
  } catch (error) {
    if (error instanceof SyntaxError) return { ok: false, problem: 'is not JSON' }
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    return { ok: false, problem: `cannot be read (${reason})` }
  }
}
