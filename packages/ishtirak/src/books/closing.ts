// Closes a month: its figures stay as they are, and payments that become known later stand in the next open
// month. Months are closed in order, beginning with any month, and the last closed one is reopened first. A
// job checks once a day whether the documents of closed months still add up to what was declared. A month
// whose documents do not is an entry of the inbox.
import { type ActDeps, act, change, OptionalWhySchema, WhySchema } from '../acts/act.js'
import { auditEntry, type OperatorAct } from '../acts/audit.sql.js'
import type { InboxKind } from '../acts/inbox-kind.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { MINUTE, toTimestamp } from '../core/instant.js'
import type { Database } from '../database/database.js'
import { viewAs } from '../http/schemas.js'
import { addressOf } from '../pages/console-frame.js'
import {
  insertClosing,
  lastClosed,
  lockClosing,
  MONTHS_THAT_DIFFER,
  type NewClosing,
  saveDifference,
} from './closed.sql.js'
import { sumUp } from './figures.js'
import { MonthParamsSchema, MonthSchema } from './month-schemas.js'
import {
  closedSpan,
  type MonthFigures,
  type MonthsDeps,
  monthBefore,
  readMonthFigures,
  spanOf,
  totalsOf,
} from './months.js'

export interface ClosingDeps extends ActDeps, MonthsDeps {
  readonly database: Database
}

const MONTH: Subject<ClosingDeps, MonthFigures> = {
  name: 'month',
  path: '/months/:month',
  params: MonthParamsSchema,
  command: { group: 'months', argument: 'month' },
  about: async (deps, month) => {
    const { from } = spanOf(deps, month)
    return { userId: NO_USER, label: (formats, locale) => formats.month(from, locale) }
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
  deps: MonthsDeps,
  { month, to, last, owed_to_users: owed }: MonthFigures,
): Readonly<Record<string, string | number>> | null {
  if (to + SETTLING > deps.clock.now()) return { ends_at: toTimestamp(to) }
  if (last !== null && last !== monthBefore(deps, month)) return { last_closed: last }
  const unbooked = owed?.unbooked ?? 0
  return unbooked > 0 ? { unbooked } : null
}

/** The version changes if a document is added to the month, a late one too. */
const versionOf = ({ sums }: MonthFigures) => sumUp(sums.map(({ count }) => count))

export const closeMonth = act<ClosingDeps>()({
  name: 'month.close',
  roles: ['accountant'],
  on: MONTH,
  operationId: 'closeMonth',
  summary: 'Close a month: its figures no longer change, and late documents of it stand in the next month',
  description:
    'Months are closed in order. 409 `month_not_in_turn`: the month ended less than ten minutes ago ' +
    '(`ends_at`), another month is closed first (`last_closed`), or renewals of the month are not booked ' +
    'yet (`unbooked`). 409 `conflict`: the month is closed already (`closed_at`).',
  input: OptionalWhySchema,
  refuses: ['month_not_in_turn'],
  isOffered: ({ closed }) => closed === null,
  plan: async (deps, { id: month, by }) => {
    const facts = await readMonthFigures(deps, month)
    const { closed, last } = facts
    if (closed) throw new BillingError('conflict', { extra: { closed_at: toTimestamp(closed.at) } })
    const extra = whyNotClosed(deps, facts)
    if (extra) throw new BillingError('month_not_in_turn', { extra })
    const version = versionOf(facts)
    return {
      version,
      changes: [...shownSums(facts), change.state('month', 'monthOpen', 'monthClosed')],
      save: () =>
        insertOnFreshFacts(deps, by, async (fresh) => {
          const figures = await readMonthFigures(fresh, month)
          if (figures.closed || versionOf(figures) !== version) return null
          const after = { month, paid: figures.paid.total / 100, refunded: figures.refunded.ttc / 100 }
          const closing = { month, totals: totalsOf(figures), last: { before: last, after: figures } }
          return { closing, facts: { after } }
        }),
    }
  },
})

export const reopenMonth = act<ClosingDeps>()({
  name: 'month.reopen',
  roles: [],
  on: MONTH,
  operationId: 'reopenMonth',
  summary: 'Reopen the month that was closed last; the figures that it was closed with stay on record',
  description:
    '409 `month_not_in_turn`: a later month is closed (`last_closed`). 409 `conflict`: it is open.',
  input: WhySchema,
  refuses: ['month_not_in_turn'],
  isOffered: ({ closed, month, last }) => closed !== null && last === month,
  plan: async (deps, { id, by }) => {
    const facts = await readMonthFigures(deps, id)
    const { month, closed, last } = facts
    if (!closed) throw new BillingError('conflict', { extra: { closed_at: null } })
    if (last !== month) throw new BillingError('month_not_in_turn', { extra: { last_closed: last } })
    const { place, sequence, at, by: closedBy } = closed
    return {
      version: sequence,
      changes: [...shownSums(facts), change.state('month', 'monthClosed', 'monthOpen')],
      save: () =>
        insertOnFreshFacts(deps, by, async (fresh) => {
          const { own, before: earlier } = await closedSpan(fresh, month)
          if (own?.place !== place) return null
          const before = { month, sequence, closed_at: toTimestamp(at), closed_by: closedBy }
          const after = earlier && { month: earlier.month, to: facts.from }
          return { closing: { month, totals: null, last: { before: month, after } }, facts: { before } }
        }),
    }
  },
})

/** Writes the closing. `read` returns null if the facts changed since the act was planned. */
function insertOnFreshFacts(
  deps: ClosingDeps,
  by: OperatorAct,
  read: (fresh: MonthsDeps) => Promise<{ readonly closing: NewClosing; readonly facts: object } | null>,
) {
  return deps.database.transaction(async (transaction) => {
    await lockClosing(transaction)
    const found = await read({ ...deps, database: transaction })
    if (!found) return 'stale'
    const now = deps.clock.now()
    const audit = auditEntry(deps.ids, by, { ...found.facts, now })
    return (await insertClosing(transaction, found.closing, { by, audit, now })) ? 'saved' : 'stale'
  })
}

function shownSums({ paid, refunded, owed_to_users: owed, after_closing }: MonthFigures) {
  const late = sumUp(after_closing?.months.map(({ paid }) => paid.total) ?? [])
  return [
    change.dinars('paidSum', paid.total / 100),
    change.dinars('refundedSum', refunded.ttc / 100),
    ...(late === 0 ? [] : [change.dinars('afterClosing', late / 100)]),
    ...(owed ? [change.dinars('owedAfter', owed.owed)] : []),
  ]
}

/** A month is checked for a year after its closing. */
const CHECKED_MONTHS = 12

/** A job. Returns how many closed months it checked. */
export async function checkClosedMonths(deps: MonthsDeps): Promise<number> {
  let month = await lastClosed(deps.database)
  let checked = 0
  for (; month !== null && checked < CHECKED_MONTHS; month = monthBefore(deps, month)) {
    const { closed } = await readMonthFigures(deps, month)
    if (!closed) break
    await saveDifference(deps.database, closed, { differs: closed.differs.length > 0, now: deps.clock.now() })
    checked += 1
  }
  return checked
}

export const MONTH_DIFFERS: readonly InboxKind[] = [
  {
    name: 'month_differs',
    place: 9,
    urgency: 'soon',
    select: MONTHS_THAT_DIFFER,
    isMoney: true,
    nextActs: ['month.reopen'],
    detailIs: 'the month',
    path: (base, { id }) => addressOf(base, 'months', id),
  },
]
