// A day of the drawer in the billing time zone: what the desk took and gave back, by method and person, and
// what was counted. Two operators close it: one counts, another confirms. Entries that are booked after the
// count are shown separately.
import { Type } from 'typebox'
import { type ActDeps, type ActPlan, act, type Call, change, OptionalWhySchema, reason } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { timestampOrNull } from '../core/instant.js'
import { mayBeOnePerson } from '../core/role.js'
import { nullable, object, request, timestamp, viewAs } from '../http/schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import { DESK_METHODS, type DeskMethod } from './desk.js'
import { type DrawerCount, type DrawerEntry, findCount, listEntries, saveCount } from './drawer.sql.js'

export type DrawerDeps = ActDeps & Pick<CommonParts, 'database' | 'clock' | 'wallClock' | 'methods'>

// The schema of a day of the drawer. Amounts are dinars, including the stamp duty.
const dinars = (description?: string) => Type.Number(description === undefined ? {} : { description })

const DrawerCountSchema = object('DrawerCount', {
  cash: Type.Integer({ description: 'The cash that was counted' }),
  cheques: Type.Integer({ description: 'The sum of the cheques that were counted' }),
  cash_difference: dinars('More than the books said at the count; below zero: less'),
  cheques_difference: dinars(),
  counted_by: Type.String(),
  counted_at: timestamp,
  confirmed_by: nullable(Type.String({ description: 'Another operator; null: the day is not closed' })),
  confirmed_at: nullable(timestamp),
})

const DrawerDaySchema = object('DrawerDay', {
  day: Type.String({ description: '`YYYY-MM-DD`, in the billing time zone', examples: ['2026-11-21'] }),
  state: Type.Enum(['open', 'counted', 'closed']),
  by_method: Type.Array(
    object('DrawerMethod', {
      method: Type.Enum([...DESK_METHODS]),
      slips: Type.Integer({ description: 'Payments that were taken' }),
      taken: dinars(),
      stamp_duty: dinars('Of what was taken'),
      returned: dinars('Refunds by hand, without the duty'),
      paid_out: dinars('Of balances'),
      expected: dinars('What must be there, beside what was there when the day began'),
      after_count: nullable(dinars('What came to the books after the count; null: it was not counted')),
    }),
  ),
  entries: Type.Array(
    object('DrawerEntry', {
      kind: Type.Enum(['taken', 'returned', 'paid_out']),
      method: Type.Enum([...DESK_METHODS]),
      at: timestamp,
      user_id: Type.String(),
      payment_id: nullable(Type.String()),
      reference: nullable(Type.String({ description: 'The slip, or the number of the cheque' })),
      amount: dinars('Below zero where it went out'),
      stamp_duty: dinars(),
      operator: nullable(Type.String()),
    }),
    { description: 'Sorted by time' },
  ),
  count: nullable(DrawerCountSchema),
})

export type DrawerDay = Awaited<ReturnType<typeof readDrawer>>

/** Throws `not_found` if there is no such day, or it has not begun. */
function requireDay({ clock, wallClock }: DrawerDeps, day: string) {
  const span = wallClock.dayOf(day)
  if (!span || span.from > clock.now()) throw new BillingError('not_found', { extra: { day } })
  return span
}

/** The day with the API's names, in centimes. Throws as `requireDay` does. */
export async function readDrawer(deps: DrawerDeps, day: string) {
  const span = requireDay(deps, day)
  const [entries, count] = await Promise.all([
    listEntries(deps.database, span, deps.methods.live),
    findCount(deps.database, day),
  ])
  const [cash, cheque] = [methodOf(entries, count, 'cash'), methodOf(entries, count, 'cheque')]
  return {
    ...{ day, from: span.from, state: drawerStateOf(count), entries, by_method: [cash, cheque] },
    expected: { cash: cash.expected, cheques: cheque.expected },
    count: count && {
      ...count,
      cash_difference: cash.counted?.difference ?? 0,
      cheques_difference: cheque.counted?.difference ?? 0,
    },
  }
}

function drawerStateOf(count: DrawerCount | null): 'open' | 'counted' | 'closed' {
  if (!count) return 'open'
  return count.confirmed_at === null ? 'counted' : 'closed'
}

/** `expected` and `after_count` leave out what was in the drawer when the day began. */
function methodOf(all: readonly DrawerEntry[], count: DrawerCount | null, method: DeskMethod) {
  const entries = all.filter((entry) => entry.method === method)
  const sumOf = (some: readonly DrawerEntry[], member: 'amount' | 'stamp_duty' = 'amount') =>
    some.reduce((sum, entry) => sum + entry[member], 0)
  const of = (kind: DrawerEntry['kind']) => entries.filter((entry) => entry.kind === kind)
  const [taken, expected] = [of('taken'), sumOf(entries)]
  const counted = count && countedOf(count, method)
  return {
    ...{ method, slips: taken.length, taken: sumOf(taken), stamp_duty: sumOf(taken, 'stamp_duty') },
    ...{ returned: -sumOf(of('returned')), paid_out: -sumOf(of('paid_out')), expected, counted },
    after_count: counted && expected - counted.expected,
  }
}

/** The counted centimes, and how much they exceed the books at the count. */
function countedOf(count: DrawerCount, method: DeskMethod) {
  const [dinars, expected] =
    method === 'cash' ? [count.cash, count.cash_expected] : [count.cheques, count.cheques_expected]
  return { counted: dinars * 100, expected, difference: dinars * 100 - expected }
}

export const DRAWER: Subject<DrawerDeps, DrawerDay> = {
  name: 'drawer',
  path: '/drawer/:day',
  params: Type.Object({ day: Type.String({ maxLength: 10, description: '`YYYY-MM-DD`' }) }),
  command: { group: 'drawer', argument: 'day' },
  about: async (deps, day) => {
    const { from } = requireDay(deps, day)
    return { userId: NO_USER, label: (formats, locale) => formats.day(from, locale) }
  },
  file: (deps) => ({
    schema: DrawerDaySchema,
    read: (day) => readDrawer(deps, day),
    view: (file) => viewAs(DrawerDaySchema, file),
  }),
}

const MOST = 1_000_000_000
const counted = (description: string) => Type.Integer({ minimum: 0, maximum: MOST, description })

const CountSchema = request('DrawerCounted', {
  cash: counted('Whole dinars that are there, without those that were there when the day began'),
  cheques: counted('Whole dinars that the cheques which are there add up to'),
  why: Type.Optional(reason),
})

const SAID = { roles: ['cashier', 'accountant'], on: DRAWER } as const
export const STATES = { open: 'drawerOpen', counted: 'drawerCounted', closed: 'drawerClosed' } as const

/**
 * The version is the state that the operator was shown. It is outdated after another entry or count. Throws
 * `conflict` if the day is closed.
 */
async function planOf(
  deps: DrawerDeps,
  { id, by }: Call<unknown>,
  countOf: (drawer: DrawerDay) => DrawerCount,
): Promise<ActPlan> {
  const drawer = await readDrawer(deps, id)
  const { day, entries, state, count: was } = drawer
  if (state === 'closed') {
    const { confirmed_by, confirmed_at } = was ?? {}
    const extra = { day, confirmed_by, confirmed_at: timestampOrNull(confirmed_at) }
    throw new BillingError('conflict', { extra })
  }
  const count = countOf(drawer)
  const counts = was?.counts ?? 0
  const counted = {
    ...{ cash: count.cash, cheques: count.cheques },
    cash_difference: countedOf(count, 'cash').difference / 100,
    cheques_difference: countedOf(count, 'cheque').difference / 100,
  }
  return {
    version: entries.length + counts,
    changes: [
      change.state('drawer', STATES[state], STATES[drawerStateOf(count)]),
      change.dinars('drawerCash', counted.cash),
      change.dinars('drawerCashDifference', counted.cash_difference),
      change.dinars('drawerCheques', counted.cheques),
      change.dinars('drawerChequesDifference', counted.cheques_difference),
    ],
    save: async () => {
      const now = deps.clock.now()
      const audit = auditEntry(deps.ids, by, { after: { day, ...counted }, now })
      return (await saveCount(deps.database, { day, counts, count }, audit, now)) ? 'saved' : 'stale'
    },
  }
}

export const countDrawer = act<DrawerDeps>()({
  ...SAID,
  name: 'drawer.count',
  operationId: 'countDrawer',
  summary: 'Write down what is in the drawer of a day',
  description:
    'Another operator closes the day. Until then it may be counted again. 409 once it is closed, and 404 ' +
    'for a day that has not begun.',
  input: CountSchema,
  isOffered: ({ state }) => state !== 'closed',
  fields: async (_pages, { say }) => [
    { name: 'cash', label: say('drawerCash'), value: '', type: 'number' },
    { name: 'cheques', label: say('drawerCheques'), value: '', type: 'number' },
  ],
  plan: (deps, call) =>
    planOf(deps, call, ({ count, expected }) => ({
      counts: (count?.counts ?? 0) + 1,
      ...{ cash_expected: expected.cash, cheques_expected: expected.cheques },
      ...{ cash: call.input.cash, cheques: call.input.cheques },
      ...{ counted_by: call.by.operator.name, counted_at: deps.clock.now() },
      ...{ confirmed_by: null, confirmed_at: null },
    })),
})

export const confirmDrawer = act<DrawerDeps>()({
  ...SAID,
  name: 'drawer.confirm',
  operationId: 'confirmDrawer',
  summary: 'Close a day of the drawer: the count that another operator has made is right',
  description: '409 where it was not counted, is closed, or by the operator who counted.',
  input: OptionalWhySchema,
  refuses: ['second_operator_needed'],
  isOffered: ({ state }) => state === 'counted',
  plan: (deps, call) =>
    planOf(deps, call, ({ day, count }) => {
      const by = call.by.operator.name
      if (!count) throw new BillingError('conflict', { extra: { day, counted_by: null } })
      if (mayBeOnePerson(count.counted_by, by))
        throw new BillingError('second_operator_needed', { extra: { day } })
      return { ...count, confirmed_by: by, confirmed_at: deps.clock.now() }
    }),
})

export const showDrawer = reading<DrawerDeps>()({
  path: DRAWER.path,
  operationId: 'getDrawer',
  summary: 'A day of the drawer: its slips, by method and by person, what must be there, and its count',
  params: DRAWER.params,
  answer: DrawerDaySchema,
  command: { usage: 'drawer show <day>' },
  read: async (deps, { params }) =>
    viewAs(DrawerDaySchema, await readDrawer(deps, String(Object(params).day))),
})
