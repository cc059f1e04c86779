// A month is closed: its figures stay as they are, and what comes later for it stands in the next open month.
// Months are closed one after the other, from whichever was the first, and the last one is reopened first.
import { type ActDeps, act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { OptionalWhySchema, WhySchema } from '../acts/reason.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { type Instant, MINUTE, toTimestamp } from '../core/instant.js'
import type { ConsolePages, Fact, View } from '../pages/console-frame.js'
import { type Closing, closingsOf, insertClosing, lockClosing } from './closed.sql.js'
import { sumPaid } from './figures.js'
import { MonthParamsSchema, MonthSchema, viewMonth } from './month-schemas.js'
import { figuresOf, type MonthFigures, type MonthsDeps, monthBefore, readMonthFigures } from './months.js'
import { totalsOf } from './totals.js'
import { booksWords } from './words.js'

export type ClosingDeps = ActDeps & MonthsDeps

const MONTH: Subject<ClosingDeps, MonthFigures> = {
  name: 'month',
  path: '/months/:month',
  params: MonthParamsSchema,
  command: { group: 'month', argument: 'month' },
  about: async ({ wallClock }, month) => {
    if (!wallClock.monthOf(month)) throw new BillingError('not_found')
    return { userId: NO_USER, label: () => month }
  },
  file: (deps) => ({
    schema: MonthSchema,
    read: (month) => readMonthFigures(deps, month),
    view: (figures) => viewMonth(figures),
  }),
}

/** The clock of another process may be late, and what bears an instant is written down after it. */
const SETTLES = 10 * MINUTE

/** Why a month cannot be closed now; null: it can. */
function whyNotClosed(
  deps: Pick<MonthsDeps, 'wallClock'>,
  { month, to, last, owed }: MonthFigures,
  now: Instant,
): Readonly<Record<string, string | number>> | null {
  if (to + SETTLES > now) return { ends_at: toTimestamp(to) }
  if (last !== null && last !== monthBefore(deps, month)) return { last_closed: last }
  const unbooked = owed?.unbooked ?? 0
  return unbooked > 0 ? { unbooked } : null
}

/** What a closing is of: it changes with each payment and refund that comes. */
function versionOf({ paid, refunded, afterClosing }: MonthFigures): number {
  const late = afterClosing?.months.reduce((sum, { count }) => sum + count, 0) ?? 0
  return paid.count + refunded.count + late
}

export const closeMonth = act<ClosingDeps>().decides({
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
  texts: actTexts(booksWords, 'close_month'),
  load: async (deps, { id }) => {
    const figures = await readMonthFigures(deps, id)
    return { version: versionOf(figures), figures }
  },
  decide: ({ figures }, _call, now, deps) => {
    const { closed } = figures
    if (closed) throw new BillingError('conflict', { extra: { closed_at: toTimestamp(closed.closedAt) } })
    const extra = whyNotClosed(deps, figures, now)
    if (extra) throw new BillingError('month_not_in_turn', { extra })
    return { last: figures.last }
  },
  save: async (deps, { id: month, by }, { facts, decision: { last }, now }) => {
    const isSaved = await deps.database.transaction(async (transaction) => {
      await lockClosing(transaction)
      const [before = null] = await closingsOf(transaction, [monthBefore(deps, month)])
      const figures = await figuresOf({ ...deps, database: transaction }, month, { own: null, before })
      if (versionOf({ ...facts.figures, ...figures }) !== facts.version) return false
      const after = { month, paid: sumPaid(figures.paid) / 100, refunded: figures.refunded.ttc / 100 }
      const audit = auditEntry(deps.ids, { ...by, act: 'month.close' }, { after, now })
      return insertClosing(transaction, {
        ...{ month, totals: totalsOf(figures), by: by.operator.name, because: by.reason ?? null, audit, now },
        last: { before: last, after: figures },
      })
    })
    return isSaved ? 'saved' : 'stale'
  },
  preview: ({ facts }) => ({
    changes: [{ what: 'month', before: 'monthOpen', after: 'monthClosed' }],
    detail: facts.figures,
  }),
  form: {
    isOffered: ({ closed }) => closed === null,
    fields: async () => [],
    inWords: (pages, view, { detail }) => ({ facts: factsOf(pages, view, detail) }),
  },
})

export const reopenMonth = act<ClosingDeps>().decides({
  name: 'month.reopen',
  roles: [],
  on: MONTH,
  operationId: 'reopenMonth',
  summary: 'Open the month that was closed last again; the figures that it was closed with are kept',
  description:
    '409 `month_not_in_turn` where a later month is closed (`last_closed`), `conflict` where it is open.',
  input: WhySchema,
  refuses: ['month_not_in_turn'],
  texts: actTexts(booksWords, 'reopen_month'),
  load: async (deps, { id }) => {
    const figures = await readMonthFigures(deps, id)
    return { version: figures.closed?.sequence ?? 0, figures }
  },
  decide: ({ figures: { month, closed, last } }): Closing => {
    if (!closed) throw new BillingError('conflict', { extra: { closed_at: null } })
    if (last !== month) throw new BillingError('month_not_in_turn', { extra: { last_closed: last } })
    return closed
  },
  save: async (deps, { by }, { facts, decision, now }) => {
    const { month, place, sequence, closedAt, closedBy } = decision
    const closed = { month, sequence, closed_at: toTimestamp(closedAt), closed_by: closedBy }
    const audit = auditEntry(deps.ids, { ...by, act: 'month.reopen' }, { before: closed, now })
    const earlier = monthBefore(deps, month)
    const isSaved = await deps.database.transaction(async (transaction) => {
      await lockClosing(transaction)
      const closings = await closingsOf(transaction, [month, earlier])
      if (!closings.some((one) => one.place === place)) return false
      const isEarlierClosed = closings.some((one) => one.month === earlier)
      return insertClosing(transaction, {
        ...{ month, totals: null, by: by.operator.name, because: by.reason ?? null, audit, now },
        last: { before: month, after: isEarlierClosed ? { month: earlier, to: facts.figures.from } : null },
      })
    })
    return isSaved ? 'saved' : 'stale'
  },
  preview: ({ facts }) => ({
    changes: [{ what: 'month', before: 'monthClosed', after: 'monthOpen' }],
    detail: facts.figures,
  }),
  form: {
    isOffered: ({ closed, month, last }) => closed !== null && last === month,
    fields: async () => [],
    inWords: (pages, view, { detail }) => ({ facts: factsOf(pages, view, detail) }),
  },
})

function factsOf({ formats }: ConsolePages, { say, locale }: View, figures: MonthFigures): readonly Fact[] {
  const { paid, refunded, owed, afterClosing, from } = figures
  const money = (sum: number) => formats.centimes(sum, locale)
  const late = afterClosing?.months.reduce((sum, one) => sum + sumPaid(one), 0) ?? 0
  return [
    [say('month'), formats.month(from, locale)],
    [say('paidSum'), money(sumPaid(paid))],
    [say('refundedSum'), money(refunded.ttc)],
    [say('afterClosing'), late === 0 ? null : money(late)],
    [say('owedAfter'), owed && formats.money(owed.owed, locale)],
  ]
}
