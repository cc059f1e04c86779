// Starts and stops bulk acts. The list is found and counted for the preview, and stored when it is confirmed.
import { type Act, type ActDeps, act, byRank, change, requireAllowed, WhySchema } from '../acts/act.js'
import { titleOf } from '../acts/act-links.js'
import { fieldsOf, inputFromForm } from '../acts/act-page.js'
import { auditEntry, type OperatorAct } from '../acts/audit.sql.js'
import { filterIn } from '../acts/list.js'
import { pagesBehind } from '../acts/paging.js'
import { changesOfOne, planOf } from '../acts/perform.js'
import { NO_USER, onNothing, type Subject } from '../acts/subject.js'
import { BillingError, wrongField } from '../core/error.js'
import { type CustomRoles, mayDo, type OperatorKey } from '../core/role.js'
import { checker, query } from '../http/schemas.js'
import { readLabels } from '../ledger/labels.js'
import { viewRows } from '../ledger/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field, Typed } from '../pages/field.js'
import type { Log } from '../runtime/log.js'
import { shortNumberOf } from '../runtime/secret.js'
import { bulksBehind, endBulk, insertBulk } from './bulk.sql.js'
import {
  BulkParamsSchema,
  type BulkRequest,
  BulkRequestSchema,
  BulkSchema,
  TARGETS_MAX,
} from './bulk-schemas.js'

export interface BulkDeps extends ActDeps {
  /** The acts of all capabilities. `main/wire.ts` fills them in. */
  readonly actsOfAll: readonly Act<never>[]
  readonly operatorKeys: readonly OperatorKey[]
  readonly operatorRoles: CustomRoles
  readonly log: Log
}

/** Throws `validation_failed` at `/act`. */
export function actInBulk({ actsOfAll }: Pick<BulkDeps, 'actsOfAll'>, name: string): Act<BulkDeps> {
  const found = actsOfAll.find((one) => one.name === name)
  if (!found) throw wrongField('act', 'invalid')
  if (!found.bulk) throw wrongField('act', 'not_allowed')
  return found as Act<BulkDeps>
}

const PAGE = 1_000

/** The ids of the list. Throws `role_not_allowed` and `validation_failed`. */
async function targetsOf(
  deps: BulkDeps,
  act: Act<BulkDeps>,
  { ids, filter, input = {} }: Omit<BulkRequest, 'why'>,
  by: OperatorAct,
): Promise<readonly string[]> {
  checker(act.withoutReason)(input)
  requireAllowed(act, by.operator, input)
  if ((ids === undefined) === (filter === undefined))
    throw wrongField('filter', ids ? 'not_allowed' : 'required')
  if (filter === undefined) return [...new Set(ids)]
  // An empty filter means everything. Only the console may send it, because it has shown the number before.
  const isOfAll = Object.keys(filter).length === 0
  if (isOfAll && by.reason !== null && by.seenVersion === undefined) throw wrongField('filter', 'required')
  const { list } = act.on
  if (!list) throw wrongField('filter', 'not_allowed')
  checker(query(list.filter.properties))(filter)
  const found: string[] = []
  const read = (cursor: string | null) => list.find(deps as never, filter, { cursor, limit: PAGE })
  for await (const items of pagesBehind(read)) {
    found.push(...items.map(list.idOf))
    if (found.length > TARGETS_MAX) throw wrongField('filter', 'too_large', TARGETS_MAX)
  }
  if (found.length === 0) throw wrongField('filter', 'too_small', 1)
  return found
}

/** The preview shows the changes of so many targets. */
const FIRST = 10

export const startBulk = act<BulkDeps>()({
  name: 'bulk.start',
  roles: ['support', 'cashier', 'accountant'],
  on: onNothing('bulk', '/bulk', 'bulk', '/console/bulk'),
  operationId: 'startBulk',
  summary: 'Do an act on each target of a list',
  description:
    'The list is stored, and the service works it off in the background. Each target is acted on once and ' +
    'has its own result. The role and bounds of the operator hold for each target. The preview shows the ' +
    'changes of the first ten. 422: the act cannot be done on a list, or the filter has no members.',
  input: BulkRequestSchema,
  secret: ['ids'],
  answer: {
    schema: BulkSchema,
    read: (deps, _call, id, earlier) => showBulk(deps, String(earlier ? earlier.after.bulk_id : id)),
  },
  fields: (pages, view, { typed }) => bulkFields(pages, view, typed),
  plan: async (deps, { input: request, by }) => {
    const { ids: _, filter = null, why, input = {} } = request
    const asked = actInBulk(deps, request.act)
    const targets = await targetsOf(deps, asked, request, by)
    const one = { input: { ...input, why }, by }
    // A preview has no reason.
    const shown = by.reason === null ? targets.slice(0, FIRST) : []
    const names = await targetNames(deps, shown)
    const first = await Promise.all(
      shown.map(async (id) => {
        const changes = await changesOfOne(id, () => planOf(asked, deps, { ...one, id }))
        return changes.map((of) => ({ ...of, name: names.user(id).name ?? names.user(id).email }))
      }),
    )
    return {
      // The version changes if the list has another target.
      version: shortNumberOf([...targets].sort().join('\n')),
      changes: [change.count('bulkTargets', targets.length), ...first.flat()],
      save: async () => {
        const now = deps.clock.now()
        const id = deps.ids.next('blk', now)
        const { name: operator, role } = by.operator
        const byKey = deps.operatorKeys.some(({ name }) => name === operator)
        const made = { id, act: asked.name, input, filter, why, operator, role, byKey }
        const after = { bulk_id: id, act: asked.name, targets: targets.length }
        const audit = auditEntry(deps.ids, by, { after, now })
        if (!(await insertBulk(deps.database, made, targets, audit, now))) throw new BillingError('conflict')
        return id
      },
    }
  },
})

/** The names of targets: a target is a user or a payment. */
export async function targetNames({ database }: BulkDeps, targets: readonly string[]) {
  const { payment } = await readLabels({ database }, { payments: targets })
  const userOf = (id: string) => payment(id)?.userId ?? id
  const { user } = await readLabels({ database }, { users: targets.map(userOf) })
  return { payment, user: (id: string) => user(userOf(id)) }
}

/** In the form, members of the filter begin with `of.`, so that they differ from the input of the act. */
const OF = 'of.'

/** First the field that chooses the act, then the fields of that act. */
async function bulkFields(
  pages: ConsolePages & BulkDeps,
  view: View,
  typed: Typed,
): Promise<readonly Field[]> {
  const { say, session } = view
  const { act = '', on = pages.actsOfAll.find(({ name }) => name === act)?.on.name } = typed
  const carried = Object.entries(typed).filter(([name]) => name === 'on' || name.startsWith(OF))
  const hidden = carried.map(([name, value]) => ({ name, label: '', value, type: 'hidden' as const }))
  const acts = pages.actsOfAll.filter((one) => one.bulk && one.on.name === on && one.on.list)
  const choices = acts
    .filter((one) => mayDo(session.operator, one))
    .sort(byRank)
    .map((one) => [one.name, titleOf(one, view)] as const)
  const field = { name: 'act', label: say(choices.length > 0 ? 'bulkChoose' : 'bulkNo'), value: '' }
  if (!choices.some(([name]) => name === act))
    return [...hidden, { ...field, type: 'text', choices: [['', ''], ...choices] }]
  const chosen = actInBulk(pages, act)
  const asked = await fieldsOf(pages, view, { act: chosen, id: '', typed })
  const read = (given: Typed) => ({
    act: chosen.name,
    filter: chosen.on.list ? filterIn(chosen.on.list.filter, (name) => given[`${OF}${name}`] ?? '') : {},
    input: inputFromForm(chosen.withoutReason, asked, given),
  })
  return [...hidden, { ...field, value: chosen.name, type: 'text', choices, read }, ...asked]
}

/** Throws `not_found`. */
export async function showBulk({ database }: BulkDeps, id: string) {
  const [bulk] = viewRows(BulkSchema, await bulksBehind(database, null, 1, id))
  if (!bulk) throw new BillingError('not_found', { extra: { bulk_id: id } })
  return bulk
}

const BULK: Subject<BulkDeps> = {
  name: 'bulk',
  path: '/bulk/:bulk_id',
  params: BulkParamsSchema,
  command: { group: 'bulk', argument: 'bulk' },
  about: async (deps, id) => {
    const { why } = await showBulk(deps, id)
    return { userId: NO_USER, label: () => why }
  },
}

export const stopBulk = act<BulkDeps>()({
  name: 'bulk.stop',
  roles: ['support', 'cashier', 'accountant'],
  on: BULK,
  operationId: 'stopBulk',
  summary: 'Stop an act on a list; what is done stays done',
  description: '409: it is finished or stopped already.',
  input: WhySchema,
  answer: { schema: BulkSchema, read: (deps, { id }) => showBulk(deps, id) },
  plan: async (deps, { id, by }) => {
    const { left, finished_at, stopped_because } = await showBulk(deps, id)
    if (finished_at !== null || stopped_because !== null) throw new BillingError('conflict')
    return {
      version: 0,
      changes: [change.count('bulkLeft', left, 0)],
      save: async () => {
        const now = deps.clock.now()
        const audit = auditEntry(deps.ids, by, { after: { bulk_id: id }, now })
        const because = `${by.operator.name}: ${by.reason ?? ''}`
        if (!(await endBulk(deps.database, id, { because, audit, now }))) throw new BillingError('conflict')
      },
    }
  },
})
