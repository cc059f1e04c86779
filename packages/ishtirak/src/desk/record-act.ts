// The act by which an operator records what they took at the desk. The amount is that of the catalogue with
// the stamp duty: the preview tells it, and the operator who confirms says that it was taken.
import type { Static } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import type { Field } from '../acts/act-page.js'
import { changesInWords } from '../acts/changes.js'
import type { Typed } from '../acts/form.js'
import { isAccess } from '../acts/preview.js'
import type { Subject } from '../acts/subject.js'
import { offerValue, readOffer } from '../checkout/portal-choice.js'
import { balanceIn, withEntry } from '../core/balance.js'
import { bookChange } from '../core/change.js'
import { BillingError, type ErrorCode, wrongField } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { plainName } from '../core/name.js'
import { readPhone } from '../core/phone.js'
import { offersOf } from '../core/plan.js'
import { changeQuotes, renewalOffers } from '../core/quote.js'
import { plainReference } from '../core/reference.js'
import { extend, NEVER_PAID, purchaseAt, type SubscriptionFacts } from '../core/subscription.js'
import { readTypedAmount } from '../core/typed-amount.js'
import type { Sale } from '../core/upgrade.js'
import { isUserId } from '../core/user-id.js'
import { inParts, paidForInWords, planAndTerm } from '../i18n/formats.js'
import { CATALOGS, instrumentName } from '../i18n/messages.js'
import { accessAfter } from '../ledger/access-after.js'
import { type SubjectDeps, type SubjectUser, USER } from '../ledger/subjects.js'
import { type Customer, findUser } from '../ledger/users.sql.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { DESK_METHODS } from './desk.js'
import { TakenAtDeskSchema } from './desk-schemas.js'
import { bookTaken, findRecorded, quoteAtDesk, type RecordDeps, type TakenAtDesk } from './record.js'
import { words } from './words.js'

type Input = Static<typeof TakenAtDeskSchema>

/** A user, also one that the service has not seen, where the operator says so: a mistyped id is refused. */
const PAYER: Subject<SubjectDeps, SubjectUser> = {
  ...USER,
  about: async (deps, userId, asked) => {
    const { new_user: isNew = false, name }: Pick<Input, 'new_user' | 'name'> = asked ?? {}
    if (!isNew && name === undefined) return USER.about(deps, userId)
    if (!isUserId(userId)) throw wrongField('user_id', 'wrong_format')
    return { userId, label: () => plainName(name ?? userId) }
  },
  page: (userId) => `/console/counter/${encodeURIComponent(userId)}`,
}

export const recordPayment = act<RecordDeps>().does({
  name: 'payment.record',
  roles: ['cashier'],
  on: PAYER,
  operationId: 'recordPayment',
  summary: 'Record a payment that was made at the desk, in cash or by cheque',
  description:
    'Books it at once. The same reference twice books once. 404 for a user that is not known, without ' +
    '`new_user`. 422 `wrong_amount` names the price, the stamp duty and the amount to be paid; 409 when ' +
    'another payment has the reference.',
  input: TakenAtDeskSchema,
  tells: ['amount'],
  each: ['reference'],
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
  answer: ({ files }) => files.payment.schema,
  texts: actTexts(words, 'record'),
  command: { usage: 'payments record <user>', advise },
  run: (deps, { id, input, by }) => bookTaken(deps, takenIn(id, input), by),
  show: async (deps, { id: userId, input }) => {
    const recorded = await findRecorded(deps, takenIn(userId, input))
    const { payment } = deps.files
    return payment.view(await payment.read(recorded?.id ?? ''))
  },
  preview: async (deps, { id, input }) => {
    await PAYER.about(deps, id, input)
    const { subscription = NEVER_PAID, version = 0 } = (await findUser(deps.database, id)) ?? {}
    const taken = takenIn(id, input)
    const charge = await quoteAtDesk(deps, taken)
    const { sale, dutyCentimes, totalCentimes } = charge
    const now = deps.clock.now()
    const decision = { subscription: afterSale(deps, subscription, sale, taken, now) }
    const { changes } = accessAfter({ facts: { subscription }, decision, now }, deps.rules)
    const inWords = (facts: SubscriptionFacts) => String(balanceIn(facts))
    const [before, after] = [inWords(subscription), inWords(decision.subscription)]
    return {
      version,
      changes: [
        ...changes,
        ...(before === after ? [] : [{ what: 'userBalance', before, after }]),
        { what: 'amount', before: null, after: String(totalCentimes / 100) },
        { what: 'stamp_duty', before: null, after: String(dutyCentimes / 100) },
      ],
      detail: charge,
    }
  },
  form: {
    asks: 'reference',
    fields: deskFields,
    read: (_pages, typed) => inputIn(typed),
    wrongFields: ({ code, extra }) => (extra.payment_id === undefined ? WRONG_FIELDS[code] : ['reference']),
    reason: ({ say }) => say('deskWhy'),
    inWords: (pages, view, { changes, detail: { sale, dutyCentimes, totalCentimes } }, typed) => {
      const { say, locale } = view
      const { method, reference, top_up } = inputIn(typed)
      const money = (centimes: number) => pages.formats.centimes(centimes, locale)
      return {
        changes: changesInWords(
          pages,
          view,
          changes.filter((one) => isAccess(one) || one.what === 'userBalance'),
        ),
        hidden: {
          offer: typed.offer ?? '',
          ...(typed.name !== undefined && { name: typed.name, phone: typed.phone ?? '' }),
          ...(top_up !== undefined && { top_up: String(top_up) }),
          ...{ method, reference, amount: String(totalCentimes / 100) },
        },
        facts: [
          [say('phone'), customerIn(inputIn(typed))?.phone ?? null],
          [say('plan'), saleInWords(sale, locale)],
          [say('method'), instrumentName(method, locale)],
          [say('deskTotal'), money(totalCentimes)],
          [say('stampDuty'), dutyCentimes === 0 ? null : money(dutyCentimes)],
          [say('deskReference'), reference],
        ],
      }
    },
  },
})

/** Throws `validation_failed`: for both or neither, or nothing is left of the reference that can be read. */
function takenIn(userId: string, input: Input): TakenAtDesk {
  const { plan: planId, months, start = 'end', method, amount, top_up: topUp } = input
  if (start === 'now' && months !== undefined) throw wrongField('months', 'not_allowed')
  const reference = plainReference(input.reference)
  if (reference === '') throw wrongField('reference', 'wrong_format')
  const taken = { userId, method, amount, reference, customer: customerIn(input) }
  if (topUp === undefined) {
    if (planId === undefined) throw wrongField('plan', 'required')
    return { ...taken, planId, months: months ?? 1, start }
  }
  for (const name of ['plan', 'months', 'start'] as const)
    if (input[name] !== undefined) throw wrongField(name, 'not_allowed')
  return { ...taken, topUp }
}

/** Throws `validation_failed`: only who is new has a name and a telephone here. */
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

/** The user's facts as they would be. */
function afterSale(
  { rules }: RecordDeps,
  facts: SubscriptionFacts,
  { offer, change, amount }: Sale,
  { reference, method }: TakenAtDesk,
  now: Instant,
): SubscriptionFacts {
  if (!('plan' in offer))
    return withEntry(facts, { kind: 'top_up', amount, paymentId: reference, note: null, at: now })
  const source = { id: reference, plan: offer.plan, instrument: method }
  return change
    ? bookChange(facts, { ...source, order: change, amount, at: now }, now, rules).subscription
    : extend(facts, purchaseAt(facts, now, offer.months, rules), source, now)
}

function saleInWords({ offer, change }: Sale, locale: Locale): string {
  if (!('plan' in offer)) return paidForInWords({ kind: 'top_up', plan: null, months: null }, locale)
  const { plan, months } = offer
  return paidForInWords(
    change ? { kind: 'change', plan, months: null } : { kind: 'purchase', plan, months },
    locale,
  )
}

function advise({ code, members }: { readonly code: string; readonly members: object }): string | null {
  if (code === 'conflict' && 'payment_id' in members)
    return `the reference is that of a payment: ishtirak payments show ${members.payment_id}`
  if (code !== 'not_found' || !('user_id' in members)) return null
  return 'correct the user, or add --new-user where the service has not seen them yet'
}

/** Which fields a refusal is about. `wrong_amount`: none; the price has changed since it was shown. */
const WRONG_FIELDS: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  unknown_plan: ['offer'],
  no_dearer_plan: ['offer'],
  plan_not_purchasable: ['offer'],
  unknown_term: ['offer'],
  unknown_method: ['method'],
  balance_limit_reached: ['top_up'],
  wrong_amount: [],
}

/** Of the form, and of the page of the counter. What they have is offered first. */
export async function deskFields(pages: ConsolePages & RecordDeps, { say, locale }: View, userId: string) {
  const { formats, catalogue, methods, clock, rules } = pages
  const taken = DESK_METHODS.filter((name) => methods.all.some((method) => method.name === name))
  const offers = catalogue.plans.flatMap(offersOf).map(({ plan, months, price }) => {
    const parts = [planAndTerm(plan, months, locale), formats.money(price.amount, locale)]
    return [offerValue({ offer: { plan, months } }), inParts(parts, locale)] as const
  })
  const user = await findUser(pages.database, userId)
  const { subscription = NEVER_PAID } = user ?? {}
  const changes = changeQuotes(subscription, catalogue, clock.now(), rules).map((quote) => {
    const parts = [saleInWords(quote, locale), formats.money(quote.amount, locale)]
    return [`now ${quote.offer.plan.id}`, inParts(parts, locale)] as const
  })
  const [first] = renewalOffers(subscription, catalogue)
  const usual = first ? { value: offerValue({ offer: first }) } : {}
  const topUp = rules.balanceMax > 0 ? [[TOP_UP, CATALOGS[locale].page.topUp] as const] : []
  const named = taken.map((name) => [name, instrumentName(name, locale)] as const)
  const field = { value: '', type: 'text' as const }
  return [
    ...(user ? [] : [{ ...field, name: 'name', label: say('counterName') }]),
    ...(user ? [] : [{ ...field, name: 'phone', label: say('phone'), isOptional: true as const }]),
    { ...field, ...usual, name: 'offer', label: say('plan'), choices: [...offers, ...changes, ...topUp] },
    ...(rules.balanceMax > 0
      ? [{ ...field, name: 'top_up', label: say('deskTopUp'), isOptional: true as const }]
      : []),
    { ...field, name: 'method', label: say('method'), choices: named },
    {
      ...field,
      name: 'reference',
      label: say('deskReference'),
      explain: (_typed, code) => (code === 'not_allowed' ? say('deskReferenceTaken') : null),
    },
  ] satisfies readonly Field[]
}

/** Throws `validation_failed`, or `unknown_method`. */
function inputIn(typedIn: Typed) {
  const { offer = '', method: named, reference: typed = '', amount, top_up = '' } = typedIn
  const method = DESK_METHODS.find((name) => name === named)
  if (!method) throw new BillingError('unknown_method')
  const reference = typed.trim()
  if (reference === '') throw wrongField('reference', 'required')
  if (reference.length > 80) throw wrongField('reference', 'too_long')
  if (/\p{Cc}/u.test(reference)) throw wrongField('reference', 'wrong_format')
  return { ...newIn(typedIn), ...soldIn(offer, top_up), method, amount: Number(amount), reference }
}

/** Who is not known has a name; a telephone may be left out. */
function newIn({ name, phone = '' }: Typed): Pick<Input, 'new_user' | 'name' | 'phone'> {
  if (name === undefined) return {}
  if (name.trim().length > 200 || /\p{Cc}/u.test(name)) throw wrongField('name', 'wrong_format')
  return { new_user: true, name, ...(phone.trim() !== '' && { phone }) }
}

const TOP_UP = 'top_up'

function soldIn(offer: string, topUp: string): Pick<Input, 'plan' | 'months' | 'start' | 'top_up'> {
  if (offer !== TOP_UP) {
    const { planId: plan, months, start } = readOffer(offer)
    return { plan, ...(start === 'now' ? { start } : { months }) }
  }
  const read = readTypedAmount(topUp)
  if (read.kind !== 'dinars') throw wrongField('top_up', topUp.trim() === '' ? 'required' : 'wrong_format')
  return { top_up: read.dinars }
}
