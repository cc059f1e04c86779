// The audit trail: who did what, when and why, with the facts about money before and after. It has no token,
// and no address except in changes of a buyer's details. A row is written with its act; the database refuses
// changes.
import type { Grant, MovedPeriod } from '../core/decision.js'
import { BillingError, ERRORS } from '../core/error.js'
import { describeGrant } from '../core/event.js'
import { type Instant, timestampOrNull, toTimestamp } from '../core/instant.js'
import type { Payment } from '../core/payment.js'
import type { Operator } from '../core/role.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { ConstraintViolation, type Queryable, type Row, statement } from '../database/database.js'
import { at, instantOrNull, json, rowOf, text } from '../database/rows.js'
import type { Clock } from '../runtime/clock.js'
import type { Ids } from '../runtime/random.js'

/** Who asks for an act and why. The reason is required if money or access changes. */
export interface Requester {
  readonly operator: Operator
  readonly reason: string | null
  /** The same `operationId` acts only once, however often the request is sent: see `findAct`. */
  readonly operationId?: string
  /** The caller's own `operation_id`. The stored `operationId` also has the act and its subject. */
  readonly operationName?: string
  /** The input without the reason. */
  readonly asked?: object
  /** The version of the user that the operator saw. If the user has another one by now, nothing is done. */
  readonly seenVersion?: number
}

export interface OperatorAct extends Requester {
  readonly act: string
}

/** A refused caller has a name but no role. */
type NamedAct = Omit<OperatorAct, 'operator'> & { readonly operator: Pick<Operator, 'name'> }

export interface AuditDeps {
  readonly database: Queryable
  readonly clock: Clock
  readonly ids: Ids
}

/**
 * The SQL that inserts an audit entry. `entry` is an `AuditEntry` as JSON. `from` names the rows of the query
 * that this is a part of; absent: it is a query of its own.
 */
export const insertAudit = (of: {
  readonly userId: string
  readonly at: string
  readonly entry: string
  readonly from?: string
}) => `
     insert into audit (user_id, id, acted_at, actor, act, reason, payment_id, before, after, asked,
       operation_id)
     select ${of.userId}, a.id, ${of.at}, a.actor, a.act, a.reason, a.payment_id, a.before, a.after, a.asked,
            a.operation_id
       from ${of.from ? `${of.from}, ` : ''}jsonb_populate_record(null::audit, ${of.entry}) a`

/** Follows `insertAudit` if a repeated operation is allowed. */
export const UNLESS_DONE = 'on conflict (user_id, operation_id) where operation_id is not null do nothing'

const insert = statement(
  'audit.insert',
  `${insertAudit({ userId: '$2', at: '$3::timestamptz', entry: '$1::jsonb' })} ${UNLESS_DONE} returning id`,
)

/** Records an act that changes no money, such as an export. Null: the operation already has its entry. */
export async function recordAct(
  { database, clock, ids }: AuditDeps,
  by: NamedAct,
  /** `userId` absent: the act is not about a single user. */
  { userId = '', ...facts }: ActFacts & { readonly userId?: string } = {},
): Promise<string | null> {
  const now = clock.now()
  const entry = auditEntry(ids, by, { ...facts, now })
  const [row] = await database.query(insert, [JSON.stringify(entry), userId, at(now)])
  return row ? text(row, 'id') : null
}

/**
 * Runs the act. If it is refused by the present state (409), the trail gets `operator.refused` with the name
 * of the act, and the error is thrown on. A preview that is out of date (`changed`) is not recorded.
 */
export async function orRecordRefusal<Result>(
  deps: AuditDeps,
  by: OperatorAct,
  about: { readonly userId: string; readonly paymentId?: string },
  act: () => Promise<Result>,
): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof BillingError && ERRORS[error.code] === 409 && error.extra.changed === undefined) {
      const after = { act: by.act, code: error.code, ...error.extra }
      await recordAct(deps, { ...by, act: 'operator.refused' }, { ...about, after })
    }
    throw error
  }
}

interface AuditedFacts {
  readonly payment: Payment | null
  readonly subscription: SubscriptionFacts
  /** The periods of other payments, codes and grants that a refund moves. */
  readonly moved: readonly MovedPeriod[]
  readonly grant?: Grant | undefined
}

/** The entry of an act that changes money, for the query that saves the revision. */
export function describeAct(
  ids: Ids,
  by: OperatorAct,
  { before, after }: { readonly before: AuditedFacts; readonly after: AuditedFacts },
  now: Instant,
) {
  const paymentId = before.payment?.id ?? null
  return auditEntry(ids, by, { paymentId, before: describeFacts(before), after: describeFacts(after), now })
}

export type AuditEntry = ReturnType<typeof auditEntry>

interface ActFacts {
  readonly paymentId?: string | null
  readonly before?: object
  readonly after?: object
}

export function auditEntry(
  ids: Ids,
  { operator, act, reason, operationId, asked }: NamedAct,
  { paymentId = null, before = {}, after = {}, now }: ActFacts & { readonly now: Instant },
) {
  return {
    ...{ id: ids.next('act', now), actor: operator.name, act, reason, payment_id: paymentId, before, after },
    asked: asked ?? null,
    operation_id: operationId ?? null,
  }
}

function describeFacts({ payment, subscription, moved, grant }: AuditedFacts) {
  const { run, paidUntil, endedAt, balance } = subscription
  return {
    ...(payment && {
      payment: {
        ...{ id: payment.id, status: payment.status, amount: payment.price.amount },
        ...{ amount_asked: payment.amountAsked, checkout_id: payment.checkoutId },
        paid_at: timestampOrNull(payment.paidAt),
        period_start: timestampOrNull(payment.periodStart),
        period_end: timestampOrNull(payment.periodEnd),
      },
    }),
    subscription: {
      anchor_at: timestampOrNull(run?.anchorAt),
      months: run?.months ?? 0,
      paid_until: timestampOrNull(paidUntil),
      ended_at: timestampOrNull(endedAt),
    },
    ...(balance && { balance: balance.amount }),
    ...(moved.length > 0 && {
      moved_periods: moved.map(({ sourceId, start, end }) => ({
        id: sourceId,
        period_start: toTimestamp(start),
        period_end: toTimestamp(end),
      })),
    }),
    ...(grant && { grant: describeGrant(grant) }),
  }
}

/** Throws `conflict` if the user has changed since the operator saw the preview. */
export function requireUnchanged({ seenVersion }: Pick<Requester, 'seenVersion'>, version: number): void {
  if (seenVersion !== undefined && seenVersion !== version) {
    throw new BillingError('conflict', { extra: { changed: true } })
  }
}

const selectByOperation = statement(
  'audit.by_operation',
  'select id, act, asked, after from audit where user_id = $1 and operation_id = $2',
)

const parseFound = rowOf({
  id: text,
  /** True: the act was refused, and `after` says why. */
  isRefused: (row: Row) => text(row, 'act') === 'operator.refused',
  asked: json<object | null>,
  after: json<Readonly<Record<string, unknown>>>,
})
export type FoundAct = ReturnType<typeof parseFound>

/** The entry of the act with this operation id; null: it was not tried. */
export async function findAct(
  database: Queryable,
  of: { readonly userId: string; readonly operationId: string },
): Promise<FoundAct | null> {
  const [row] = await database.query(selectByOperation, [of.userId, of.operationId])
  return row ? parseFound(row) : null
}

/** True: the act was not saved, because the trail already has its operation, done or refused. */
export function wasTriedMeanwhile(error: unknown): boolean {
  return error instanceof ConstraintViolation && error.constraint === 'audit_operations'
}

const selectRefund = statement(
  'audit.refund',
  `select max(acted_at) as refunded_at from audit
    where user_id = $1 and payment_id = $2 and act = 'payment.refund'`,
)

/** When the refund of a payment was recorded; null: never. */
export async function findRefundInstant(
  database: Queryable,
  of: { readonly userId: string; readonly paymentId: string },
): Promise<Instant | null> {
  const [row] = await database.query(selectRefund, [of.userId, of.paymentId])
  return row ? instantOrNull(row, 'refunded_at') : null
}

/** Uses the index audit_by_act. */
const selectLast = statement('audit.last', 'select max(acted_at) as acted_at from audit where act = $1')

/** When an act was last done; null: never. */
export async function lastActed(database: Queryable, act: string): Promise<Instant | null> {
  const [row] = await database.query(selectLast, [act])
  return row ? instantOrNull(row, 'acted_at') : null
}
