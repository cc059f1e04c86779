// Reads PLANS_FILE: the plans in the form of `GET /plans`, checked strictly, because a misspelt limit would
// never apply.
import Type from 'typebox'
import { Value } from 'typebox/value'
import { assembleCatalogue, type Catalogue, type Plan, SEED_PLANS } from '../core/plan.js'
import { ConfigError, parseJson, readText, schemaProblems } from './config-file.js'

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
