// An act on many: what is asked for is read, the list is found, counted, and frozen when it is confirmed.
import { type Act, type ActDeps, act, actTexts } from '../acts/act.js'
import { auditEntry, type By, requireUnchanged } from '../acts/audit.sql.js'
import { pagesBehind } from '../acts/paging.js'
import { previewOf } from '../acts/perform.js'
import { type Preview, viewPreview } from '../acts/preview.js'
import { WhySchema } from '../acts/reason.js'
import { NO_USER, onNothing, type Subject, type SubjectList } from '../acts/subject.js'
import { BillingError, wrongField } from '../core/error.js'
import { type CustomRoles, type OperatorKey, requireRole } from '../core/role.js'
import { checker } from '../http/checker.js'
import { query } from '../http/schemas.js'
import { viewRows } from '../ledger/schemas.js'
import { digestOf, shortNumberOf } from '../runtime/secret.js'
import { bulks, endBulk, insertBulk, type Target } from './bulk.sql.js'
import {
  BulkParamsSchema,
  BulkPreviewSchema,
  type BulkRequest,
  BulkRequestSchema,
  BulkSchema,
  TARGETS_MAX,
  type Unit,
} from './bulk-schemas.js'
import { bulkWords } from './words.js'

export interface BulkDeps extends ActDeps {
  /** Of all capabilities; filled in by `main/wire.ts`. */
  readonly actsOfAll: readonly Act<never>[]
  readonly operatorKeys: readonly OperatorKey[]
  readonly operatorRoles: CustomRoles
}

interface Many {
  readonly act: Act<BulkDeps>
  /** Without the reason. */
  readonly input: Readonly<Record<string, unknown>>
  readonly targets: readonly Target[]
  readonly unit: Unit | null
  readonly sum: number
}

/** Acts on anything else, such as a month or an operator, are done one at a time. */
const SUBJECTS = ['user', 'payment', 'event']

/** Throws `validation_failed` at `/act`, with what it asks for each by itself. */
export function actOnMany({ actsOfAll }: BulkDeps, name: string): Act<BulkDeps> {
  const found = actsOfAll.find((one) => one.name === name)
  if (!found) throw wrongField('act', 'invalid')
  if (!SUBJECTS.includes(found.on.name) || found.each)
    throw new BillingError('validation_failed', {
      problems: [{ pointer: '/act', code: 'not_allowed' }],
      extra: { each: found.each ?? [] },
    })
  return found as Act<BulkDeps>
}

/** Throws `role_not_allowed`, and what is wrong in what is asked for. */
async function manyOf(
  deps: BulkDeps,
  { act: name, ids, filter, input = {} }: BulkRequest,
  by: By,
): Promise<Many> {
  const act = actOnMany(deps, name)
  checker(act.asked)(input)
  requireRole(by.operator, act.more?.(input, by.operator) ?? act)
  if ((ids === undefined) === (filter === undefined))
    throw wrongField('filter', ids ? 'not_allowed' : 'required')
  const { days, amount } = input
  const each = [days, amount].find((one): one is number => typeof one === 'number')
  const found = ids
    ? [...new Set(ids)].map((id) => ({ id }))
    : await matching(deps, act.on.list, filter ?? {})
  if (found.length === 0) throw wrongField('filter', 'too_small', 1)
  const targets = found.map((one: { id: string; amount?: number }) => ({
    id: one.id,
    worth: each ?? one.amount ?? 0,
  }))
  const unit = days !== undefined ? 'days' : targets.some(({ worth }) => worth !== 0) ? 'dinars' : null
  return { act, input, targets, unit, sum: targets.reduce((sum, { worth }) => sum + worth, 0) }
}

const PAGE = 1_000

/** Throws `validation_failed`: it has no list, the filter makes no sense, or finds too many. */
async function matching(
  deps: BulkDeps,
  list: SubjectList | undefined,
  filter: Readonly<Record<string, string>>,
) {
  if (!list) throw wrongField('filter', 'not_allowed')
  checker(query(list.filter.properties))(filter)
  const found: { readonly id: string; readonly amount?: number }[] = []
  for await (const items of pagesBehind((cursor) =>
    list.find(deps as never, filter, { cursor, limit: PAGE }),
  )) {
    found.push(...items)
    if (found.length > TARGETS_MAX) throw wrongField('filter', 'too_large', TARGETS_MAX)
  }
  return found
}

/** Of the list that was shown: another where a target came, went, or is worth something else. */
function versionOf({ targets }: Pick<Many, 'targets'>): number {
  const lines = targets.map(({ id, worth }) => `${worth} ${id}`)
  return shortNumberOf(lines.sort().join('\n'))
}

const FIRST = 10

interface Detail {
  readonly many: Many
  readonly first: readonly {
    readonly id: string
    readonly preview: Preview | null
    readonly code: string | null
  }[]
}

export async function previewMany(deps: BulkDeps, request: BulkRequest, by: By): Promise<Preview<Detail>> {
  const many = await manyOf(deps, request, by)
  const previewOne = async ({ id }: Target) => {
    const call = { id, input: { ...many.input, why: request.why }, by }
    try {
      return { id, preview: await previewOf(many.act, deps, call), code: null }
    } catch (error) {
      if (error instanceof BillingError) return { id, preview: null, code: error.code }
      throw error
    }
  }
  const first = await Promise.all(many.targets.slice(0, FIRST).map(previewOne))
  const count = String(many.targets.length)
  return {
    version: versionOf(many),
    changes: [{ what: 'bulkTargets', before: null, after: count }],
    detail: { many, first },
  }
}

export const startBulk = act<BulkDeps>().does({
  name: 'bulk.start',
  roles: ['support', 'cashier', 'accountant'],
  on: onNothing('bulk', '/bulk', 'bulk', '/console/bulk'),
  operationId: 'startBulk',
  summary: 'Do an act to each of a list',
  description:
    'The list is frozen, and worked off in the background: each by itself, once, with a result of its own. ' +
    'The role and bounds of who asks hold for each. 422 for an act that asks each for something else ' +
    '(`each`).',
  input: BulkRequestSchema,
  asksByPost: { bodyLimit: 4 * 1024 * 1024 },
  keeps: ({ ids, ...asked }) =>
    ids ? { ...asked, ids: ids.length, ids_sha256: digestOf(ids.join('\n')) } : asked,
  answer: BulkSchema,
  texts: actTexts(bulkWords, 'bulk_start'),
  form: null,
  command: null,
  run: async (deps, { input: request, by }) => {
    const { act, input, targets, unit } = await manyOf(deps, request, by)
    requireUnchanged(by, versionOf({ targets }))
    const now = deps.clock.now()
    const id = deps.ids.next('blk', now)
    const { name: operator, role } = by.operator
    const byKey = deps.operatorKeys.some(({ name }) => name === operator)
    const made = { id, act: act.name, input, filter: request.filter ?? null, why: request.why }
    const bulk = {
      ...made,
      operator,
      role,
      byKey,
      unit,
      shown: by.seenVersion === undefined ? null : targets.length,
    }
    const after = { bulk_id: id, act: act.name, targets: targets.length }
    const audit = auditEntry(deps.ids, { ...by, act: 'bulk.start' }, { after, now })
    if (!(await insertBulk(deps.database, bulk, targets, audit, now))) throw new BillingError('conflict')
    return id
  },
  show: (deps, _call, id, earlier) => showBulk(deps, String(earlier ? earlier.after.bulk_id : id)),
  preview: (deps, { input, by }) => previewMany(deps, input, by),
  previews: {
    schema: BulkPreviewSchema,
    view: ({ detail: { many, first } }) => ({
      ...{ act: many.act.name, targets: many.targets.length, unit: many.unit, sum: many.sum },
      first: first.map(({ id, preview, code }) => ({
        id,
        changes: preview ? viewPreview(preview).changes : [],
        refused: code,
      })),
    }),
  },
})

type ShowDeps = Pick<BulkDeps, 'database'>

/** Throws `not_found`. */
export async function showBulk({ database }: ShowDeps, id: string) {
  const [bulk] = viewRows(BulkSchema, await bulks(database, { limit: 1, id }))
  if (!bulk) throw new BillingError('not_found', { extra: { bulk_id: id } })
  return bulk
}

const BULK: Subject<ShowDeps> = {
  name: 'bulk',
  path: '/bulk/:bulk_id',
  params: BulkParamsSchema,
  command: { group: 'bulk', argument: 'bulk' },
  about: async (deps, id) => {
    await showBulk(deps, id)
    return { userId: NO_USER, label: () => id }
  },
}

export const stopBulk = act<BulkDeps>().does({
  name: 'bulk.stop',
  roles: ['support', 'cashier', 'accountant'],
  on: BULK,
  operationId: 'stopBulk',
  summary: 'Do an act to no more of its list; what is done stays done',
  input: WhySchema,
  answer: BulkSchema,
  texts: actTexts(bulkWords, 'bulk_stop'),
  run: async (deps, { id, by }) => {
    const now = deps.clock.now()
    const audit = auditEntry(deps.ids, { ...by, act: 'bulk.stop' }, { after: { bulk_id: id }, now })
    const because = `${by.operator.name}: ${by.reason ?? ''}`
    if (!(await endBulk(deps.database, id, { because, audit, now }))) throw new BillingError('conflict')
  },
  show: (deps, { id }) => showBulk(deps, id),
  preview: async (deps, { id }) => {
    const { left, finished_at, stopped_because } = await showBulk(deps, id)
    if (finished_at !== null || stopped_because !== null) throw new BillingError('conflict')
    const changes = [{ what: 'bulkLeft', before: String(left), after: '0' }]
    return { version: 0, changes, detail: null }
  },
})
