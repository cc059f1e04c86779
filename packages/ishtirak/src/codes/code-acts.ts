// Operators make batches of codes and revoke them. New codes are returned once: nothing can show them again.
import type { Static } from 'typebox'
import { act, change, WhySchema } from '../acts/act.js'
import { auditEntry, type Requester } from '../acts/audit.sql.js'
import { readInstant } from '../acts/day.js'
import { CODE_KINDS, type CodeBatch, type CodeKind, printCode } from '../core/code.js'
import { BillingError } from '../core/error.js'
import { type Instant, SECOND, timestampOrNull, toTimestamp } from '../core/instant.js'
import { isLocale, LOCALES } from '../core/locale.js'
import { type Offer, offersOf, planById } from '../core/plan.js'
import { freeOffers } from '../core/quote.js'
import { at } from '../database/rows.js'
import { CATALOGS, type ConsoleKey, planName } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field } from '../pages/field.js'
import { keyedDigest } from '../runtime/secret.js'
import { BATCH, CODES, type CodesDeps, showBatch } from './batches.js'
import { insertBatch, revoke } from './batches.sql.js'
import { CodeBatchSchema, MadeCodesSchema, NewCodesSchema } from './code-schemas.js'
import { codeSheet } from './code-sheet.js'

export const createCodesAct = act<CodesDeps>()({
  name: 'codes.create',
  roles: [],
  on: CODES,
  operationId: 'createCodes',
  summary: 'Make a batch of codes; they are shown this once',
  description:
    'Only keyed hashes of the codes are stored, so no later call can show them: 409 with `batch_id` ' +
    'where `operation_id` made them before. 404 where CODE_KEYS is not set.',
  input: NewCodesSchema,
  refuses: ['unknown_plan', 'plan_not_purchasable', 'unknown_term'],
  answer: {
    schema: MadeCodesSchema,
    read: async (_deps, _call, made, earlier) => {
      if (earlier) throw new BillingError('conflict', { extra: { batch_id: earlier.after.id } })
      const { batch: _, ...shown } = Object(made)
      return shown
    },
  },
  isOffered: (_file, { codeKeys }) => codeKeys.length > 0,
  fields: async (pages, view) => newCodesFields(pages, view),
  page: (pages, view, { outcome, typed }) => {
    const { cards = '', why = '' } = typed
    const locale = isLocale(cards) ? cards : view.locale
    return codeSheet(pages, view, { ...(outcome as Awaited<ReturnType<typeof createCodes>>), why, locale })
  },
  plan: async (deps, { input, by }) => {
    const wanted = wantedIn(deps, input)
    const { plan } = checkWanted(deps, wanted, deps.clock.now())
    const { kind, months, percent, amount, count, uses, usesPerUser, from, until } = wanted
    const free = freeOffers(wanted, deps.rules)
    return {
      version: 0,
      changes: [
        change.state('codesGive', `gives_${kind}`),
        change.text('plan', plan?.name ?? null),
        change.count('codeMonths', months),
        change.count('codePercent', percent),
        change.dinars('codeAmount', amount),
        change.text('codesFree', free.length === 0 ? null : free.map(nameOf).join(', ')),
        change.count('codeUses', uses),
        change.count('codeUsesEach', usesPerUser),
        change.instant('codeFrom', from),
        change.instant('codeUntil', until),
        change.count('codes', null, count),
      ],
      save: () => createCodes(deps, wanted, by),
    }
  },
})

export const revokeCodes = act<CodesDeps>()({
  name: 'codes.revoke',
  rank: 'destructive',
  roles: [],
  on: BATCH,
  operationId: 'revokeCodes',
  summary: 'Make all codes of a batch invalid; what was bought with one stays',
  description: 'An open checkout with one of them can still be paid. 409 when the batch is revoked already.',
  input: WhySchema,
  refuses: ['already_revoked'],
  answer: { schema: CodeBatchSchema, read: (deps, { id }) => showBatch(deps, id) },
  plan: async ({ database, clock, ids }, { id, by }) => {
    const { batch_id, revoked_at, left } = await showBatch({ database }, id)
    if (revoked_at !== null) throw new BillingError('already_revoked', { extra: { revoked_at } })
    return {
      version: 0,
      changes: [change.count('codesLeft', left, 0)],
      save: async () => {
        const now = clock.now()
        const audit = auditEntry(ids, by, { after: { batch_id, revoked_at: toTimestamp(now) }, now })
        return (await revoke(database, id, { audit, now })) ? 'saved' : 'stale'
      },
    }
  },
})

type WantedBatch = Omit<CodeBatch, 'id' | 'plan' | 'revokedAt'>

/** Throws `not_found` if there is no key, and the problems of the request. */
export async function createCodes(deps: CodesDeps, wanted: WantedBatch, by: Requester) {
  const now = deps.clock.now()
  const { key, plan } = checkWanted(deps, wanted, now)
  const id = deps.ids.next('bat', now)
  const codes = new Set<string>()
  while (codes.size < wanted.count) codes.add(deps.drawCode())
  const hashes = [...codes].map((code) => keyedDigest(key, code))
  const { usesPerUser: uses_per_user, planId: plan_id, ...facts } = wanted
  const batch = {
    ...{ ...facts, id, plan_id, uses_per_user, valid_from: at(wanted.from), valid_until: at(wanted.until) },
    plan: wanted.kind === 'months' ? plan : null,
    ...{ created_at: at(now), created_by: by.operator.name, why: by.reason },
  }
  const [from, until] = [timestampOrNull(wanted.from), timestampOrNull(wanted.until)]
  const after = { ...wanted, id, from, until }
  const audit = auditEntry(deps.ids, { ...by, act: 'codes.create' }, { after, now })
  await insertBatch(deps.database, { batch, hashes, audit }, now)
  const free = freeOffers(wanted, deps.rules).map(nameOf)
  const made = { batch_id: id, codes: [...codes].map(printCode), batch: { ...after, plan: plan_id } }
  return free.length > 0 ? { ...made, free } : made
}

const nameOf = ({ plan, months }: Offer) => `${plan.id} ${months}`

function wantedIn({ wallClock }: CodesDeps, input: Static<typeof NewCodesSchema>): WantedBatch {
  const { kind, plan = null, months = null, percent = null, amount = null, count } = input
  const { uses = 1, uses_per_user = 1, from, until } = input
  return {
    ...{ kind, planId: plan, months, percent, amount, count, uses },
    usesPerUser: uses_per_user,
    from: from === undefined ? null : readInstant(wallClock, 'from', from),
    until: until === undefined ? null : readInstant(wallClock, 'until', until),
  }
}

/** Returns the key of the hashes and the plan; null: any plan. */
function checkWanted({ codeKeys: [key], catalogue }: CodesDeps, wanted: WantedBatch, now: Instant) {
  if (key === undefined) throw new BillingError('not_found', { extra: { setting: 'CODE_KEYS' } })
  const { planId, months } = wanted
  const plan = planId === null ? null : planById(catalogue, planId)
  if (plan === undefined) throw new BillingError('unknown_plan')
  if (plan?.price === 0) throw new BillingError('plan_not_purchasable')
  checkBatch(wanted, now)
  // A discount on a term that is not sold could never be used.
  const offers = (plan ? [plan] : catalogue.plans).flatMap(offersOf)
  const isAny = wanted.kind === 'months' || months === null
  if (!isAny && !offers.some((offer) => offer.months === months)) throw new BillingError('unknown_term')
  return { key, plan }
}

/** The fields that each kind needs besides the common ones. */
const REQUIRED: Readonly<Record<CodeKind, readonly ('plan' | CodeKind)[]>> = {
  months: ['plan', 'months'],
  percent: ['percent'],
  amount: ['amount'],
}

function checkBatch(wanted: WantedBatch, now: Instant): void {
  const { kind, planId: plan, months, percent, amount, from, until } = wanted
  const given = { plan, months, percent, amount }
  const missing = REQUIRED[kind].filter((name) => given[name] === null)
  const foreign = (['percent', 'amount'] as const).filter((name) => name !== kind && given[name] !== null)
  const begin = Math.max(now, from ?? now)
  const isOver = until !== null && until <= begin
  const tooSoon = { pointer: '/until', code: 'too_small' as const, bound: toTimestamp(begin + SECOND) }
  const problems = [
    ...missing.map((name) => ({ pointer: `/${name}`, code: 'required' as const })),
    ...foreign.map((name) => ({ pointer: `/${name}`, code: 'not_allowed' as const })),
    ...(isOver ? [tooSoon] : []),
  ]
  if (problems.length > 0) throw new BillingError('validation_failed', { problems })
}

/** The members of the input that the form has, in its order. */
const LABELS: Readonly<Partial<Record<keyof typeof NewCodesSchema.properties, ConsoleKey>>> = {
  ...{ kind: 'codesGive', plan: 'codePlan', months: 'codeMonths', percent: 'codePercent' },
  ...{ amount: 'codeAmount', count: 'codeCount', uses: 'codeUses', uses_per_user: 'codeUsesEach' },
  ...{ from: 'codeFrom', until: 'codeUntil' },
}

/** More codes make the page too long. The command line makes larger batches. */
const ON_A_SHEET_MAX = 1_000

function newCodesFields({ catalogue }: ConsolePages, { say, locale }: View): readonly Field[] {
  const plans = catalogue.plans.filter(({ price }) => price > 0)
  const own: Readonly<Record<string, Partial<Field>>> = {
    kind: { value: 'months', choices: CODE_KINDS.map((kind) => [kind, say(`gives_${kind}`)]) },
    plan: {
      choices: [['', say('any')], ...plans.map(({ id, name }) => [id, planName(name, locale)] as const)],
    },
    count: { most: ON_A_SHEET_MAX },
  }
  const fields = Object.entries(LABELS).map(([name, label]): Field => {
    const { type, pattern }: { type?: string; pattern?: string } = Object(NewCodesSchema.properties)[name]
    const isRequired = NewCodesSchema.required.some((one) => one === name)
    return {
      ...{ name, label: say(label), value: '' },
      type: type === 'integer' ? 'number' : pattern === undefined ? 'text' : 'date',
      ...(!isRequired && { isOptional: true }),
      ...own[name],
    }
  })
  const languages = LOCALES.map((one) => [one, CATALOGS[one].page.languageName] as const)
  const cards = { name: 'cards', label: say('cardLanguage'), value: locale, choices: languages }
  return [...fields, { ...cards, type: 'text' }]
}
