// A day of the drawer is closed by two: one counts, another confirms the count. What comes to the books of a
// day that was counted stands after its count.
import { Type } from 'typebox'
import { type ActDeps, act, actTexts } from '../acts/act.js'
import { auditEntry } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { OptionalWhySchema, reason } from '../acts/reason.js'
import { amountIn } from '../acts/sent-form.js'
import { NO_USER, type Subject } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { timestampOrNull } from '../core/instant.js'
import { maybeOnePerson } from '../core/sign-in.js'
import { request } from '../http/schemas.js'
import {
  countedOf,
  type DrawerDay,
  type DrawerDeps,
  drawerStateOf,
  keyOf,
  readDrawer,
  requireDay,
} from './drawer.js'
import { confirmCount, type DrawerCount, saveCount } from './drawer.sql.js'
import { DrawerDaySchema, viewDrawer } from './drawer-schemas.js'
import { words } from './words.js'

export type DrawerActDeps = DrawerDeps & ActDeps

export const DRAWER: Subject<DrawerActDeps, DrawerDay> = {
  name: 'drawer',
  path: '/drawer/:day',
  params: Type.Object({ day: Type.String({ maxLength: 10, description: '`YYYY-MM-DD`' }) }),
  command: { group: 'drawer', argument: 'day' },
  about: async (deps, day) => {
    requireDay(deps, day)
    return { userId: NO_USER, label: () => day }
  },
  file: (deps) => ({
    schema: DrawerDaySchema,
    read: (day) => readDrawer(deps, day),
    view: (file) => viewDrawer(file as DrawerDay),
  }),
}

const MOST = 1_000_000_000
const counted = (description: string) => Type.Integer({ minimum: 0, maximum: MOST, description })

const CountSchema = request('DrawerCounted', {
  cash: counted('Whole dinars that are there, without those that were there when the day began'),
  cheques: counted('Whole dinars that the cheques which are there add up to'),
  why: Type.Optional(reason),
})

/** What was shown is no longer so once there is another entry or count. */
async function load(deps: DrawerActDeps, day: string) {
  const drawer = await readDrawer(deps, day)
  return { ...drawer, version: drawer.entries.length + (drawer.count?.counts ?? 0) }
}

/** Throws `conflict`: the day is closed. */
function requireOpen({ day, count }: DrawerDay): void {
  if (drawerStateOf(count) !== 'closed') return
  const extra = { day, confirmed_by: count?.confirmedBy, confirmed_at: timestampOrNull(count?.confirmedAt) }
  throw new BillingError('conflict', { extra })
}

const SAID = { roles: ['cashier', 'accountant'], on: DRAWER } as const

function changesTo(count: DrawerCount, before: DrawerDay, after: 'drawerCounted' | 'drawerClosed') {
  const difference = (method: 'cash' | 'cheque') => String(countedOf(count, method).difference / 100)
  const [was, state] = [{ open: 'drawerOpen', counted: 'drawerCounted', closed: 'drawerClosed' }, before]
  return {
    changes: [
      { what: 'drawer', before: was[drawerStateOf(state.count)], after },
      { what: 'drawerCash', before: null, after: String(count.cash) },
      { what: 'drawerCashDifference', before: null, after: difference('cash') },
      { what: 'drawerCheques', before: null, after: String(count.cheques) },
      { what: 'drawerChequesDifference', before: null, after: difference('cheque') },
    ],
    detail: null,
  }
}

const describe = (day: string, count: DrawerCount) => ({
  ...{ day, cash: count.cash, cheques: count.cheques },
  ...{ cash_difference: countedOf(count, 'cash').difference / 100 },
  ...{ cheques_difference: countedOf(count, 'cheque').difference / 100 },
})

export const countDrawer = act<DrawerActDeps>().decides({
  ...SAID,
  name: 'drawer.count',
  each: ['cash', 'cheques'],
  operationId: 'countDrawer',
  summary: 'Write down what is in the drawer of a day',
  description:
    'Another operator closes the day. Until then it may be counted again. 409 once it is closed, and 404 ' +
    'for a day that has not begun.',
  input: CountSchema,
  texts: actTexts(words, 'drawer_count'),
  load: (deps, { id }) => load(deps, id),
  decide: (drawer, { input, by }, now): DrawerCount => {
    requireOpen(drawer)
    return {
      counts: (drawer.count?.counts ?? 0) + 1,
      ...{ cashExpected: drawer.expected.cash, chequesExpected: drawer.expected.cheque },
      ...{ cash: input.cash, cheques: input.cheques, entries: drawer.entries.map(keyOf) },
      ...{ countedBy: by.operator.name, countedAt: now, confirmedBy: null, confirmedAt: null },
    }
  },
  save: async (deps, { by }, { facts: { day }, decision, now }) => {
    const named = { ...by, act: 'drawer.count' }
    const audit = auditEntry(deps.ids, named, { after: describe(day, decision), now })
    return (await saveCount(deps.database, day, decision, audit)) ? 'saved' : 'stale'
  },
  preview: ({ facts, decision }) =>
    decision ? changesTo(decision, facts, 'drawerCounted') : { changes: [], detail: null },
  form: {
    isOffered: ({ count }) => drawerStateOf(count) !== 'closed',
    asks: 'cash',
    fields: async (_pages, { say }) => [
      { name: 'cash', label: say('drawerCash'), value: '', type: 'number' },
      { name: 'cheques', label: say('drawerCheques'), value: '', type: 'number' },
    ],
    read: (_pages, typed) => ({
      cash: wholeIn('cash', typed.cash),
      cheques: wholeIn('cheques', typed.cheques),
    }),
  },
})

/** Nothing is a figure too. */
function wholeIn(field: string, typed = ''): number {
  return /^[0٠۰]+$/.test(typed.trim()) ? 0 : amountIn(field, typed, MOST)
}

export const confirmDrawer = act<DrawerActDeps>().decides({
  ...SAID,
  name: 'drawer.confirm',
  operationId: 'confirmDrawer',
  summary: 'Close a day of the drawer: the count that another operator has made is right',
  description: '409 where it was not counted, is closed, or by the operator who counted.',
  input: OptionalWhySchema,
  refuses: ['second_operator_needed'],
  texts: actTexts(words, 'drawer_confirm'),
  load: (deps, { id }) => load(deps, id),
  decide: (drawer, { by }): DrawerCount => {
    requireOpen(drawer)
    const { day, count } = drawer
    if (!count) throw new BillingError('conflict', { extra: { day, counted_by: null } })
    if (maybeOnePerson(count.countedBy, by.operator.name))
      throw new BillingError('second_operator_needed', { extra: { day } })
    return count
  },
  save: async (deps, { by }, { facts: { day }, decision, now }) => {
    const named = { ...by, act: 'drawer.confirm' }
    const audit = auditEntry(deps.ids, named, { after: describe(day, decision), now })
    const of = { counts: decision.counts, by: by.operator.name, now }
    return (await confirmCount(deps.database, day, of, audit)) ? 'saved' : 'stale'
  },
  preview: ({ facts, decision }) =>
    decision ? changesTo(decision, facts, 'drawerClosed') : { changes: [], detail: null },
  form: { isOffered: ({ count }) => drawerStateOf(count) === 'counted', asks: null, fields: async () => [] },
})

export const showDrawer = reading<DrawerActDeps>().reads({
  path: DRAWER.path,
  operationId: 'getDrawer',
  summary: 'A day of the drawer: its slips, by method and by person, what must be there, and its count',
  params: DRAWER.params,
  answer: DrawerDaySchema,
  command: { usage: 'drawer show <day>' },
  read: async (deps, { params }) => viewDrawer(await readDrawer(deps, String(Object(params).day))),
})
