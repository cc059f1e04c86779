// Closes a month: its figures stay as they are, and payments that become known later stand in the next open
// month. Months are closed in order, beginning with any month, and the last closed one is reopened first.
import { type ActDeps, act } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { change } from '../acts/preview.js'
import { OptionalWhySchema, WhySchema } from '../acts/reason.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE, toTimestamp } from '../core/instant.js'
import type { Transaction } from '../database/database.js'
import { viewAs } from '../http/view-as.js'
import { closingsOf, insertClosing, lockClosing } from './closed.sql.js'
import { MonthParamsSchema, MonthSchema } from './month-schemas.js'
import {
  figuresOf,
  type MonthFigures,
  type MonthsDeps,
  monthBefore,
  readMonthFigures,
  totalsOf,
} from './months.js'

export type ClosingDeps = ActDeps & MonthsDeps

const MONTH: Subject<ClosingDeps, MonthFigures> = {
  name: 'month',
  path: '/months/:month',
  params: MonthParamsSchema,
  command: { group: 'months', argument: 'month' },
  about: async ({ wallClock }, month) => {
    const span = wallClock.monthOf(month)
    if (!span) throw new BillingError('not_found')
    return { userId: NO_USER, label: (formats, locale) => formats.month(span.from, locale) }
  },
  file: (deps) => ({
    schema: MonthSchema,
    read: (month) => readMonthFigures(deps, month),
    view: (figures) => viewAs(MonthSchema, figures),
  }),
}

/** The clocks of processes differ, and an act is stored some time after the instant that it has. */
const SETTLING = 10 * MINUTE

/** Why a month cannot be closed now; null: it can. */
function whyNotClosed(
  deps: Pick<MonthsDeps, 'wallClock'>,
  { month, to, last, owed_to_users: owed }: MonthFigures,
  now: Instant,
): Readonly<Record<string, string | number>> | null {
  if (to + SETTLING > now) return { ends_at: toTimestamp(to) }
  if (last !== null && last !== monthBefore(deps, month)) return { last_closed: last }
  const unbooked = owed?.unbooked ?? 0
  return unbooked > 0 ? { unbooked } : null
}

/** Another number if a payment or refund of the month, or a late one, was added. */
function versionOf({ paid, refunded, after_closing }: MonthFigures): number {
  const late = after_closing?.months.reduce((sum, one) => sum + one.paid.count, 0) ?? 0
  return paid.count + refunded.count + late
}

export const closeMonth = act<ClosingDeps>()({
  name: 'month.close',
  roles: ['accountant'],
  on: MONTH,
  operationId: 'closeMonth',
  summary: 'Close a month: its figures stay as they are, and what comes later for it stands in the next one',
  description:
    'Months are closed one after the other. 409 `month_not_in_turn`: until ten minutes after its end ' +
    '(`ends_at`), where another is next (`last_closed`), while renewals of it are to be written down ' +
    '(`unbooked`); 409 `conflict` where it is closed (`closed_at`).',
  input: OptionalWhySchema,
  refuses: ['month_not_in_turn'],
  isOffered: ({ closed }) => closed === null,
  plan: async (deps, { id: month, by }) => {
    const facts = await readMonthFigures(deps, month)
    const { closed, last } = facts
    if (closed) throw new BillingError('conflict', { extra: { closed_at: toTimestamp(closed.at) } })
    const now = deps.clock.now()
    const extra = whyNotClosed(deps, facts, now)
    if (extra) throw new BillingError('month_not_in_turn', { extra })
    const version = versionOf(facts)
    const saved = async (transaction: Transaction) => {
      await lockClosing(transaction)
      const [before = null] = await closingsOf(transaction, [monthBefore(deps, month)])
      const figures = await figuresOf({ ...deps, database: transaction }, month, { own: null, before })
      if (versionOf({ ...facts, ...figures }) !== version) return false
      const after = { month, paid: figures.paid.total / 100, refunded: figures.refunded.ttc / 100 }
      const audit = auditEntry(deps.ids, by, { after, now })
      return insertClosing(transaction, {
        ...{ month, totals: totalsOf(figures), by: by.operator.name, because: by.reason ?? null, audit, now },
        last: { before: last, after: figures },
      })
    }
    return {
      version,
      changes: [...knownOf(facts), change.state('month', 'monthOpen', 'monthClosed')],
      save: async () => ((await deps.database.transaction(saved)) ? 'saved' : 'stale'),
    }
  },
})

export const reopenMonth = act<ClosingDeps>()({
  name: 'month.reopen',
  roles: [],
  on: MONTH,
  operationId: 'reopenMonth',
  summary: 'Open the month that was closed last again; the figures that it was closed with are kept',
  description:
    '409 `month_not_in_turn` where a later month is closed (`last_closed`), `conflict` where it is open.',
  input: WhySchema,
  refuses: ['month_not_in_turn'],
  isOffered: ({ closed, month, last }) => closed !== null && last === month,
  plan: async (deps, { id, by }) => {
    const facts = await readMonthFigures(deps, id)
    const { month, closed, last } = facts
    if (!closed) throw new BillingError('conflict', { extra: { closed_at: null } })
    if (last !== month) throw new BillingError('month_not_in_turn', { extra: { last_closed: last } })
    const { place, sequence, at, by: closedBy } = closed
    const saved = async (transaction: Transaction) => {
      const now = deps.clock.now()
      const before = { month, sequence, closed_at: toTimestamp(at), closed_by: closedBy }
      const audit = auditEntry(deps.ids, by, { before, now })
      const earlier = monthBefore(deps, month)
      await lockClosing(transaction)
      const closings = await closingsOf(transaction, [month, earlier])
      if (!closings.some((one) => one.place === place)) return false
      const isEarlierClosed = closings.some((one) => one.month === earlier)
      return insertClosing(transaction, {
        ...{ month, totals: null, by: by.operator.name, because: by.reason ?? null, audit, now },
        last: { before: month, after: isEarlierClosed ? { month: earlier, to: facts.from } : null },
      })
    }
    return {
      version: sequence,
      changes: [...knownOf(facts), change.state('month', 'monthClosed', 'monthOpen')],
      save: async () => ((await deps.database.transaction(saved)) ? 'saved' : 'stale'),
    }
  },
})

function knownOf({ paid, refunded, owed_to_users: owed, after_closing }: MonthFigures) {
  const late = after_closing?.months.reduce((sum, one) => sum + one.paid.total, 0) ?? 0
  return [
    change.dinars('paidSum', paid.total / 100),
    change.dinars('refundedSum', refunded.ttc / 100),
    ...(late === 0 ? [] : [change.dinars('afterClosing', late / 100)]),
    ...(owed ? [change.dinars('owedAfter', owed.owed)] : []),
  ]
}
