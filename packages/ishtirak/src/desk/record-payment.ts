// The act by which an operator records what they took at the desk. The amount is the catalogue's price plus
// stamp duty: the preview shows it, and the operator confirms that they took it.
import { type Static, Type } from 'typebox'
import { act, change, reason } from '../acts/act.js'
import { readPhone } from '../acts/phone.js'
import type { Subject } from '../acts/subject.js'
import { offerValue, readOffer } from '../checkout/portal-choice.js'
import { balanceIn, withEntry } from '../core/balance.js'
import { bookChange } from '../core/change.js'
import { wrongField } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { plainName } from '../core/name.js'
import { LONGEST_TERM, offersOf } from '../core/plan.js'
import { changeQuotes, renewalOffers, STARTS } from '../core/quote.js'
import { plainReference } from '../core/reference.js'
import { extend, NEVER_PAID, purchaseAt, type SubscriptionFacts } from '../core/subscription.js'
import type { Sale } from '../core/upgrade.js'
import { isUserId } from '../core/user-id.js'
import { request } from '../http/schemas.js'
import { inParts, paidForInWords, planAndTerm } from '../i18n/formats.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import { type SubjectDeps, type SubjectUser, USER } from '../ledger/subjects.js'
import { type Customer, findUser } from '../ledger/users.sql.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field, Typed } from '../pages/field.js'
import { DESK_METHODS } from './desk.js'
import { bookDeskSale, type DeskOrder, findRecorded, quoteAtDesk, type RecordDeps } from './desk-sale.js'

const TakenAtDeskSchema = request('TakenAtDesk', {
  new_user: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'The user may be one that the service has not seen; without it, 404 for those',
    }),
  ),
  name: Type.Optional(
    Type.String({ maxLength: 200, pattern: '^[^\\p{Cc}]+$', description: 'The name of a new user' }),
  ),
  phone: Type.Optional(
    Type.String({
      maxLength: 40,
      description: 'The telephone number of a new user; 409 with the user who already has it',
    }),
  ),
  plan: Type.Optional(
    Type.String({ description: 'The plan that was paid for; not with `top_up`', examples: ['pro'] }),
  ),
  top_up: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000_000,
      description: 'Instead of a plan: whole dinars for the user’s balance',
      examples: [3_000],
    }),
  ),
  months: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST_TERM,
      description: 'The term, 1 if absent; not with `start: now`',
      examples: [12],
    }),
  ),
  start: Type.Optional(
    Type.Enum([...STARTS], {
      description: '`now`: a dearer plan for the time that is paid; `end` if absent',
    }),
  ),
  method: Type.Enum([...DESK_METHODS], { description: 'How it was paid' }),
  amount: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 1_000_000_000,
      description:
        'What was taken, in dinars, with the stamp duty on cash. The preview tells it; to record it, it is ' +
        'required',
      examples: [2020],
    }),
  ),
  reference: Type.String({
    pattern: '^[^\\s\\u0000-\\u001f\\u007f-\\u009f]+( [^\\s\\u0000-\\u001f\\u007f-\\u009f]+)*$',
    maxLength: 80,
    description: 'The slip of the cash desk, or the number of the cheque: one payment has it',
    examples: ['2026/0042'],
  }),
  why: reason,
})
type Input = Static<typeof TakenAtDeskSchema>

/** A user, who may be new if the operator says so. Else an unknown id is refused as mistyped. */
const PAYER: Subject<SubjectDeps, SubjectUser> = {
  ...USER,
  command: { group: 'payments', argument: 'user' },
  about: async (deps, userId, asked) => {
    const { new_user: isNew = false, name }: Pick<Input, 'new_user' | 'name'> = asked ?? {}
    if (!isNew) return USER.about(deps, userId)
    if (!isUserId(userId)) throw wrongField('user_id', 'wrong_format')
    return { userId, label: () => plainName(name ?? userId) }
  },
  page: (userId) => `/console/counter/${encodeURIComponent(userId)}`,
}

export const recordPayment = act<RecordDeps>()({
  name: 'payment.record',
  rank: 'common',
  roles: ['cashier'],
  on: PAYER,
  operationId: 'recordPayment',
  summary: 'Record a payment that was made at the desk, in cash or by cheque',
  description:
    'Books it at once. The same reference twice books once. 404 for a user that is not known, without ' +
    '`new_user`. 422 `wrong_amount` names the price, the stamp duty and the amount to be paid; 409 when ' +
    'another payment has the reference.',
  input: TakenAtDeskSchema,
  refuses: [
    'unknown_plan',
    'plan_not_purchasable',
    'unknown_term',
    'unknown_method',
    'wrong_amount',
    'prepaid_limit_reached',
    'no_dearer_plan',
    'balance_limit_reached',
    'already_refunded',
  ],
  answer: {
    schema: ({ files }) => files.payment.schema,
    read: async (deps, { id: userId, input }) => {
      const recorded = await findRecorded(deps, orderIn(userId, input))
      const { payment } = deps.files
      return payment.view(await payment.read(recorded?.id ?? ''))
    },
  },
  fields: async (pages, view, { id }) => [
    ...(await deskFields(pages, view, id)),
    { name: 'why', label: view.say('reasonLabel'), value: view.say('deskWhy'), type: 'text' },
  ],
  plan: async (deps, { id, input, by }) => {
    await PAYER.about(deps, id, input)
    const { amount } = input
    const order = orderIn(id, input)
    const save = async () => {
      if (amount === undefined) throw wrongField('amount', 'required')
      await bookDeskSale(deps, { ...order, amount }, by)
    }
    const { subscription = NEVER_PAID, version = 0 } = (await findUser(deps.database, id)) ?? {}
    const quote = await quoteAtDesk(deps, order).catch(async (error: unknown) => {
      // A repeated slip, also of a simultaneous call: nothing is booked if it is for the same sale.
      if (amount !== undefined && (await findRecorded(deps, order))) return null
      throw error
    })
    if (quote === null) return { version, changes: [], save }
    const { sale, dutyCentimes, totalCentimes } = quote
    const now = deps.clock.now()
    const after = afterSale(deps, subscription, sale, order, now)
    const [balance, balanceAfter] = [balanceIn(subscription), balanceIn(after)]
    const total = totalCentimes / 100
    return {
      version,
      carried: { amount: String(total) },
      changes: [
        change.text('phone', order.customer?.phone ?? null),
        ...saleChanges(sale),
        change.text('method', order.method),
        change.dinars('deskTotal', total),
        ...(dutyCentimes === 0 ? [] : [change.dinars('stampDuty', dutyCentimes / 100)]),
        change.text('deskReference', order.reference),
        change.access(subscription, after, now, deps.rules),
        ...(balance === balanceAfter ? [] : [change.dinars('userBalance', balance, balanceAfter)]),
      ],
      save,
    }
  },
})

function saleChanges({ offer, change: order }: Sale) {
  if (!('plan' in offer)) return [change.state('purpose', 'topUp')]
  const { plan, months } = offer
  return [change.text('plan', plan.name), ...(order ? [] : [change.count('differing_months', months)])]
}

/** Throws `validation_failed` if it is for both or neither, or if the reference has no readable character. */
function orderIn(userId: string, input: Input): DeskOrder {
  const { plan: planId, months, start = 'end', method, top_up: topUp } = input
  if (start === 'now' && months !== undefined) throw wrongField('months', 'not_allowed')
  const reference = plainReference(input.reference)
  if (reference === '') throw wrongField('reference', 'wrong_format')
  const order = { userId, method, reference, customer: customerIn(input) }
  if (topUp === undefined) {
    if (planId === undefined) throw wrongField('plan', 'required')
    return { ...order, planId, months: months ?? 1, start }
  }
  for (const name of ['plan', 'months', 'start'] as const)
    if (input[name] !== undefined) throw wrongField(name, 'not_allowed')
  return { ...order, topUp }
}

/** Throws `validation_failed`: only new users get a name and a telephone number here. */
function customerIn(given: Pick<Input, 'new_user' | 'name' | 'phone'>): Customer | null {
  const { new_user: isNew = false, name, phone: typed } = given
  if (!isNew) {
    if (name !== undefined) throw wrongField('name', 'not_allowed')
    if (typed !== undefined) throw wrongField('phone', 'not_allowed')
  }
  if (name === undefined && typed === undefined) return null
  if (name === undefined || name.trim() === '') throw wrongField('name', 'required')
  const phone = typed === undefined ? null : readPhone(typed)
  if (typed !== undefined && phone === null) throw wrongField('phone', 'wrong_format')
  return { name: name.trim(), phone }
}

/** The user's facts after the sale. */
function afterSale(
  { rules }: RecordDeps,
  facts: SubscriptionFacts,
  { offer, change, amount }: Sale,
  { reference, method }: DeskOrder,
  now: Instant,
): SubscriptionFacts {
  if (!('plan' in offer))
    return withEntry(facts, { kind: 'top_up', amount, paymentId: reference, note: null, at: now })
  const source = { id: reference, plan: offer.plan, instrument: method }
  return change
    ? bookChange(facts, { ...source, order: change, amount, at: now }, now, rules).subscription
    : extend(facts, purchaseAt(facts, now, offer.months, rules), source, now)
}

/** The fields of the form and of the counter's page. The user's present plan comes first. */
export async function deskFields(pages: ConsolePages & RecordDeps, { say, locale }: View, userId: string) {
  const { formats, catalogue, methods, clock, rules } = pages
  const user = await findUser(pages.database, userId)
  const { subscription = NEVER_PAID } = user ?? {}
  const priced = (value: string, words: string, amount: number) =>
    [value, inParts([words, formats.money(amount, locale)], locale)] as const
  const offers = catalogue.plans.flatMap(offersOf).map((offer) => {
    const { plan, months, price } = offer
    return priced(offerValue({ offer }), planAndTerm(plan, months, locale), price.amount)
  })
  const changes = changeQuotes(subscription, clock.now(), rules).map((quote) => {
    const words = paidForInWords({ kind: 'change', plan: quote.offer.plan, months: null }, locale)
    return priced(offerValue(quote), words, quote.amount)
  })
  const [usual] = renewalOffers(subscription, catalogue)
  const hasBalance = rules.balanceMax > 0
  const topUp = hasBalance ? [[TOP_UP, CATALOGS[locale].page.topUp] as const] : []
  const accepted = DESK_METHODS.filter((name) => methods.all.some((method) => method.name === name))
  const field = { value: '', type: 'text' as const }
  const fields: readonly (Field | false)[] = [
    !user && { ...{ name: 'new_user', label: '', value: 'yes' }, type: 'hidden', read: newIn },
    !user && { ...field, name: 'name', label: say('counterName') },
    !user && { ...field, name: 'phone', label: say('phone'), isOptional: true },
    {
      ...{ ...field, name: 'offer', label: say('plan'), value: usual ? offerValue({ offer: usual }) : '' },
      ...{ choices: [...offers, ...changes, ...topUp], read: soldIn },
    },
    hasBalance && { ...field, name: 'top_up', label: say('deskTopUp'), isOptional: true },
    {
      ...{ ...field, name: 'method', label: say('method') },
      choices: accepted.map((name) => [name, instrumentName(name, locale)] as const),
    },
    {
      ...{ ...field, name: 'reference', label: say('deskReference') },
      explain: (_typed, code) => (code === 'not_allowed' ? say('deskReferenceTaken') : null),
    },
  ]
  return fields.filter((one) => one !== false)
}

const TOP_UP = 'top_up'

function newIn({ name = '' }: Typed): Pick<Input, 'new_user' | 'name'> {
  return { new_user: true, name }
}

function soldIn({ offer = '', top_up = '' }: Typed): Pick<Input, 'plan' | 'months' | 'start'> {
  if (offer === TOP_UP) {
    if (top_up.trim() === '') throw wrongField('top_up', 'required')
    return {}
  }
  const { planId: plan, months, start } = readOffer(offer)
  return { plan, ...(start === 'now' ? { start } : { months }) }
}
