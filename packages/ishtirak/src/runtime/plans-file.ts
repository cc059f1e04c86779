// PLANS_FILE: the plans in the form of `GET /plans`, and their limits. A misspelt limit is refused.
import { readFileSync } from 'node:fs'
import Type, { type Static } from 'typebox'
import { countsAs, type LimitDefinition } from '../core/limit.js'
import { byLocale } from '../core/locale.js'
import { type Catalogue, LONGEST_TERM, limitsInOrder, type Plan } from '../core/plan.js'
import { closed, fitting, parseJson, type Rule, readText, refuseBroken } from './config-file.js'

/** Without a file: seed-plans.json. No price may be below `leastAmount`. Throws `ConfigError`. */
export function readPlans(file: string | undefined, leastAmount = 0): Catalogue {
  return file === undefined ? SEED_CATALOGUE : parsePlans(readText('PLANS_FILE', file), leastAmount)
}

/** `seed`: the limits of an array of plans, and the words of those that have none in the file. */
function parsePlans(text: string, leastAmount = 0, seed = SEED_CATALOGUE.limits): Catalogue {
  const content = parseJson('PLANS_FILE', text)
  if (Array.isArray(content)) return catalogueOf(checkedPlans(content, seed, ''), seed, leastAmount)
  const { limits: entries, plans } = fitting('PLANS_FILE', ObjectSchema, content)
  refuseBroken(
    'PLANS_FILE',
    Object.entries(entries).flatMap((entry) => limitRules(entry, seed)),
  )
  const limits = Object.entries(entries).map((entry) => toDefinition(entry, seed))
  return catalogueOf(checkedPlans(plans, limits, '/plans'), limits, leastAmount)
}

const ownFile = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8')

const WORDS = Type.String({ minLength: 1, maxLength: 60, pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })
const Words = closed(byLocale(() => WORDS))

const LimitSchema = closed({
  kind: Type.Enum(['counter', 'gauge']),
  window: Type.Optional(Type.Enum(['day', 'month'])),
  per: Type.Optional(Type.String()),
  name: Type.Optional(Words),
  unit: Type.Optional(Type.Union([Type.Literal('megabytes'), Words])),
  per_name: Type.Optional(Words),
})
type LimitEntry = readonly [name: string, limit: Static<typeof LimitSchema>]

const ObjectSchema = closed({
  limits: Type.Record(Type.String(), LimitSchema, { minProperties: 1, maxProperties: 50 }),
  plans: Type.Unknown(),
})

/** The name is used in addresses, in JSON and in the database. */
const NAME = /^[a-z][a-z0-9_]{0,62}$/
const NAME_IN_WORDS = 'at most 63 of a to z, 0 to 9 and _, beginning with a letter'

function limitRules([name, limit]: LimitEntry, seed: readonly LimitDefinition[]): readonly Rule[] {
  const { kind, window, per, per_name } = limit
  const isCounter = kind === 'counter'
  const counted = countsAs({ window: window ?? null, per: per ?? null })
  // The words of a seed limit say how it is counted: per day, in each project.
  const hasWords = seed.some((known) => known.name === name && countsAs(known) === counted)
  const place = `/limits/${name}`
  const needsPerName = per !== undefined && per !== 'project' && per_name === undefined
  return [
    [!NAME.test(name), place, `is not the name of a limit, which has ${NAME_IN_WORDS}`],
    [isCounter && window === undefined, `${place}/window`, 'is missing: a counter counts a day or a month'],
    [!isCounter && window !== undefined, `${place}/window`, 'is for counters only: a gauge has no window'],
    [isCounter && per !== undefined, `${place}/per`, 'is for gauges only'],
    [per !== undefined && !NAME.test(per), `${place}/per`, `is not a name, which has ${NAME_IN_WORDS}`],
    [!limit.name && !hasWords, `${place}/name`, 'is missing: what users read, in ar, fr and en'],
    [needsPerName, `${place}/per_name`, 'is missing: what users call one of them, in ar, fr and en'],
    [per_name !== undefined && per === undefined, `${place}/per_name`, 'is for limits with `per` only'],
  ]
}

/** A limit of the seed that is counted in the same way may leave out its words. */
function toDefinition([name, limit]: LimitEntry, seed: readonly LimitDefinition[]): LimitDefinition {
  const known = seed.find((of) => of.name === name)
  const words = limit.name ?? known?.words
  if (!words) throw new Error(`the limit ${name} has no words`)
  return {
    name,
    window: limit.window ?? null,
    per: limit.per ?? null,
    words,
    unit: limit.unit ?? known?.unit ?? null,
    perWords: limit.per_name ?? null,
  }
}

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const TRIAL_DAYS_MAX = 90

/** Whole dinars. The database's column is an `int4`. */
const Price = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })

const TermSchema = closed({ months: Type.Integer({ minimum: 1, maximum: LONGEST_TERM }), price: Price })

function plansSchema(limits: readonly LimitDefinition[]) {
  const numbers = Object.fromEntries(limits.map(({ name }) => [name, Count]))
  const plan = closed({
    // The id is used in addresses, in the provider's metadata and in the database.
    id: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' }),
    // PostgreSQL refuses control characters and half surrogate pairs in JSON.
    name: Type.String({ minLength: 1, maxLength: 100, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }),
    price: Price,
    currency: Type.String({ pattern: '^[A-Z]{3}$' }),
    limits: closed(numbers),
    terms: Type.Optional(Type.Array(TermSchema, { minItems: 1, maxItems: LONGEST_TERM })),
    trial_days: Type.Optional(Type.Integer({ minimum: 1, maximum: TRIAL_DAYS_MAX })),
  })
  return Type.Array(plan, { minItems: 1, maxItems: 100 })
}

/** `place` is the path of the plans in the file. */
function checkedPlans(plans: unknown, limits: readonly LimitDefinition[], place: string): readonly Plan[] {
  const known = fitting('PLANS_FILE', plansSchema(limits), plans, place)
  return known.map(({ trial_days: trialDays, ...plan }) => ({ ...plan, ...(trialDays && { trialDays }) }))
}

/** No price may be below `leastAmount`. Throws with every problem. */
function catalogueOf(plans: readonly Plan[], limits: readonly LimitDefinition[], leastAmount = 0): Catalogue {
  const [free, second] = plans.filter((plan) => plan.price === 0)
  refuseBroken('PLANS_FILE', [
    ...plans.flatMap((plan, index): Rule[] => {
      const isRepeated = plans.findIndex((other) => other.id === plan.id) < index
      return [[isRepeated, '', `plan "${plan.id}" stands twice`], ...planRules(plan, leastAmount)]
    }),
    [second !== undefined, '', 'more than one plan costs 0'],
    [free === undefined, '', 'no plan costs 0: users who never paid need one'],
    [free !== undefined && plans[0] !== free, '', 'the plan that costs 0 must stand first'],
  ])
  const inOrder = plans.map((plan) => ({ ...plan, limits: limitsInOrder(limits, plan) }))
  // The rules require that the first one costs 0.
  return { limits, plans: inOrder, free: inOrder[0] as Plan }
}

function planRules(plan: Plan, leastAmount: number): readonly Rule[] {
  const { price: single, terms = [] } = plan
  const isTooLittle = (price: number) => price > 0 && price < leastAmount
  const rule = (isBroken: boolean, words: string): Rule => [isBroken, '', `plan "${plan.id}": ${words}`]
  const least = `the provider takes no payment under ${leastAmount} DZD`
  return [
    rule(plan.currency !== 'DZD', 'the provider takes DZD only'),
    rule(isTooLittle(single), least),
    rule(single === 0 && plan.trialDays !== undefined, 'it costs nothing, so it has no trial'),
    rule(single === 0 && terms.length > 0, 'it costs nothing, so it has no terms'),
    ...(single === 0 ? [] : terms).flatMap(({ months, price }, index) => {
      const isRepeated = terms.findIndex((other) => other.months === months) < index
      const isDearer = months > 1 && price > months * single
      return [
        rule(isRepeated, `the term of ${months} months stands twice`),
        rule(months === 1 && price !== single, `a term of 1 month costs what the plan costs, ${single}`),
        rule(price < leastAmount, `the term of ${months} months: ${least}`),
        rule(
          isDearer,
          `the term of ${months} months costs more than ${months} single months, ${months * single}`,
        ),
      ]
    }),
  ]
}

export const SEED_CATALOGUE = parsePlans(ownFile('seed-plans.json'), 0, [])

/** The sandbox's catalogue: the same plans, also in longer terms and with a trial. */
export const EXAMPLE_PLANS = parsePlans(ownFile('example-plans.json'))
