// Batches of codes: made, listed, revoked. The codes are returned once: nothing can show them again.
import type { Static } from 'typebox'
import { act } from '../acts/act.js'
import { auditEntry, type By } from '../acts/audit.sql.js'
import { readInstant } from '../acts/day.js'
import { list } from '../acts/list.js'
import { byInstant } from '../acts/paging.js'
import { change } from '../acts/preview.js'
import { reading } from '../acts/reading.js'
import { WhySchema } from '../acts/reason.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import { type CodeBatch, type CodeKind, printCode } from '../core/code.js'
import { BillingError } from '../core/error.js'
import { type Instant, SECOND, toTimestamp } from '../core/instant.js'
import { isLocale } from '../core/locale.js'
import { type Offer, offersOf, planById } from '../core/plan.js'
import { freeOffers } from '../core/quote.js'
import { addressOf } from '../pages/console-frame.js'
import { keyedDigest } from '../runtime/secret.js'
import { findBatch, insertBatch, newestBatches, revoke } from './batches.sql.js'
import type { CodesDeps, WantedBatch } from './code-deps.js'
import {
  BatchParamsSchema,
  CodeBatchSchema,
  CodeFilterSchema,
  MadeCodesSchema,
  NewCodesSchema,
} from './code-schemas.js'
import { codeSheet } from './code-sheet.js'
import { newCodesFields } from './codes-form.js'

export const CODES = onNothing('codes', '/codes', 'codes', '/console/codes')

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
    const { batch_id: batchId, codes, batch } = outcome as Awaited<ReturnType<typeof createCodes>>
    const locale = isLocale(cards) ? cards : view.locale
    return codeSheet(pages, view, { batchId, codes, batch, why, locale })
  },
  plan: async (deps, { input, by }) => {
    const wanted = wantedIn(deps, input)
    checkWanted(deps, wanted, deps.clock.now())
    const { kind, planId, months, percent, amount, count, uses, usesPerUser, from, until } = wanted
    const free = freeOffers(wanted, deps.rules)
    return {
      version: 0,
      changes: [
        change.state('codesGive', `gives_${kind}`),
        change.text('plan', planId),
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

/** Throws `not_found` if there is no key, and the problems of the request. */
export async function createCodes(deps: CodesDeps, wanted: WantedBatch, by: By) {
  const now = deps.clock.now()
  const { key, plan } = checkWanted(deps, wanted, now)
  const batch: CodeBatch = {
    ...wanted,
    id: deps.ids.next('bat', now),
    plan: wanted.kind === 'months' ? plan : null,
    revokedAt: null,
  }
  const codes = new Set<string>()
  while (codes.size < wanted.count) codes.add(deps.drawCode())
  const hashes = [...codes].map((code) => keyedDigest(key, code))
  const { plan: _, revokedAt: __, from, until, ...facts } = batch
  const after = { ...facts, from: from && toTimestamp(from), until: until && toTimestamp(until) }
  const audit = auditEntry(deps.ids, { ...by, act: 'codes.create' }, { after, now })
  await insertBatch(deps.database, { batch, hashes, by, now, audit })
  const free = freeOffers(wanted, deps.rules).map(nameOf)
  const made = { batch_id: batch.id, codes: [...codes].map(printCode), batch: wanted }
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

export type ListDeps = Pick<CodesDeps, 'database'>

export const BATCH: Subject<ListDeps> = {
  name: 'batch',
  path: '/codes/:batch_id',
  params: BatchParamsSchema,
  command: { group: 'codes', argument: 'batch' },
  about: async (deps, batchId) => {
    await showBatch(deps, batchId)
    return { userId: NO_USER, label: () => batchId }
  },
  page: (batchId) => addressOf('', 'codes', batchId),
}

/** Makes all codes of a batch invalid. Purchases made with them stay. */
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
  plan: async (deps, { id: batchId, by }) => {
    const { revoked_at, left } = await showBatch(deps, batchId)
    if (revoked_at !== null) throw new BillingError('already_revoked', { extra: { revoked_at } })
    return {
      version: 0,
      changes: [change.count('codesLeft', left, 0)],
      save: async () => {
        const now = deps.clock.now()
        const after = { batch_id: batchId, revoked_at: toTimestamp(now) }
        const audit = auditEntry(deps.ids, by, { after, now })
        return (await revoke(deps.database, { batchId, by, now, audit })) ? 'saved' : 'stale'
      },
    }
  },
})

/** The batch with its used and remaining uses. Throws `not_found`. */
export async function showBatch({ database }: ListDeps, batchId: string) {
  const batch = await findBatch(database, batchId)
  if (!batch) throw new BillingError('not_found', { extra: { batch_id: batchId } })
  return batch
}

export const batchList = list<ListDeps>()({
  path: '/codes',
  operationId: 'listCodeBatches',
  summary: 'Batches of codes, newest first, with what is used and left',
  filter: CodeFilterSchema,
  item: CodeBatchSchema,
  title: 'CodeBatches',
  command: {
    ...{ usage: 'codes list', rows: 'batches' },
    columns: [
      ...['batch_id', 'kind', 'plan', 'months', 'percent', 'amount', 'count', 'used', 'left'],
      ...['until', 'revoked_at', 'why'],
    ],
  },
  read: async ({ database }, { q = '' }, { cursor, limit }) => {
    const after = cursor === null ? null : byInstant.decode(cursor)
    const found = await newestBatches(database, { after, q, limit: limit + 1 })
    return byInstant.pageBy(found, limit, (one) => ({ at: Date.parse(one.created_at), id: one.batch_id }))
  },
})

export const getCodeBatch = reading<ListDeps>()({
  path: '/codes/:batch_id',
  operationId: 'getCodeBatch',
  summary: 'One batch of codes, with what is used and left',
  params: BatchParamsSchema,
  answer: CodeBatchSchema,
  command: { usage: 'codes show <batch>' },
  read: (deps, { params }) => showBatch(deps, params.batch_id),
})
