// A refund made by hand at the provider is recorded: its period ends, later ones move up. It moves no money.
import { type Static, Type } from 'typebox'
import { act, actTexts } from '../acts/act.js'
import type { Field } from '../acts/act-page.js'
import { changesInWords } from '../acts/changes.js'
import { type Preview, StandingSchema, standings } from '../acts/preview.js'
import { WhySchema } from '../acts/reason.js'
import { balanceIn } from '../core/balance.js'
import { BillingError, wrongField } from '../core/error.js'
import { type Instant, toTimestamp } from '../core/instant.js'
import { decideRefund, onTheBalance, placesOf, type Refund, type RefundWay } from '../core/refund.js'
import { type BillingRules, BY_BALANCE, dueRenewal, renewed } from '../core/subscription.js'
import { object, request, timestamp } from '../http/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { accessAfter } from './access-after.js'
import { givenToBalance } from './balance-entries.sql.js'
import { type ChangeDeps, changeBy } from './change-user.js'
import { creditNoteFor, type DocumentDeps } from './documents.js'
import { documentsOfPayment } from './documents.sql.js'
import { loadPayment, refusalByStatus } from './load.js'
import { describeTotal } from './load.sql.js'
import { PAYMENT, type SubjectDeps } from './subjects.js'
import { ledgerWords } from './words.js'

type RefundDeps = ChangeDeps & SubjectDeps & DocumentDeps

export const RefundPreviewSchema = object('RefundPreview', {
  payment_id: Type.String(),
  user_id: Type.String(),
  amount: Type.Integer({ description: 'The price' }),
  stamp_duty: Type.Number({ description: 'Dinars; of cash alone, on top of the amount' }),
  total: Type.Number({ description: 'What was paid, in dinars' }),
  currency: Type.String(),
  before: StandingSchema,
  after: StandingSchema,
  moved: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The payment, redemption or grant whose time moves' }),
      period_start: timestamp,
      period_end: timestamp,
      new_period_start: timestamp,
      new_period_end: timestamp,
    }),
  ),
  events: Type.Array(Type.String(), { description: 'What the platform would be told' }),
})

type Loaded = Awaited<ReturnType<typeof loadRefundable>>

async function loadRefundable(deps: RefundDeps, paymentId: string) {
  const loaded = await loadPayment(deps, paymentId)
  const { payment, user } = loaded
  const documents = payment.status === 'paid' ? await documentsOfPayment(deps.database, payment) : []
  const paid = documents[0] && describeTotal(documents[0].snapshot)
  if (!paid) throw await refusalByStatus(deps, payment)
  const onBalance = user.subscription.balance ? await givenToBalance(deps.database, payment) : 0
  return { ...loaded, version: user.version, paid, documents, onBalance }
}

const RefundSchema = request('RefundRequest', {
  to: Type.Optional(
    Type.Enum(['balance', 'hand'], {
      description:
        'Where the money goes: to the user’s balance, or by hand, outside. Absent: what the balance paid ' +
        'for goes back to it, all else by hand',
      examples: ['balance'],
    }),
  ),
  ...WhySchema.properties,
})

/** Nothing can go to a balance if there are none, or if it came from a top-up. */
function hasChoice({ payment }: Pick<Loaded, 'payment'>, { balanceMax }: BillingRules): boolean {
  return balanceMax > 0 && payment.kind !== 'top_up'
}

function usualWay({ payment }: Pick<Loaded, 'payment'>): 'balance' | 'hand' {
  return payment.method === BY_BALANCE ? 'balance' : 'hand'
}

/** Throws `validation_failed` for what cannot go to a balance. */
function wayOf(loaded: Loaded, to: string | undefined, rules: BillingRules): RefundWay {
  if (to === 'balance' && !hasChoice(loaded, rules)) throw wrongField('to', 'not_allowed')
  return { toBalance: (to ?? usualWay(loaded)) === 'balance', onBalance: loaded.onBalance }
}

/** Throws `refund_change_first` and `validation_failed`. */
function settledBy(loaded: Loaded, to: string | undefined, now: Instant, rules: BillingRules) {
  const { payment, user } = loaded
  const way = wayOf(loaded, to, rules)
  const decided = decideRefund({ payment, subscription: user.subscription }, now, rules)
  if (decided && 'changeFirst' in decided)
    throw new BillingError('refund_change_first', { extra: { payment_id: decided.changeFirst } })
  return decided && onTheBalance(decided, way, now)
}

function inWords(pages: ConsolePages, view: View, changes: RefundPreview['changes']) {
  const money = (amount: string | null) => pages.formats.money(Number(amount), view.locale)
  return changesInWords(
    pages,
    view,
    changes.map((change) =>
      'what' in change && change.what === 'userBalance'
        ? { ...change, before: money(change.before), after: money(change.after) }
        : change,
    ),
  )
}

const isOfEachWay = (change: { readonly what?: string }) => change.what === 'status'

/** The ways for which the balance has enough, each with what it changes. Throws `refund_change_first`. */
function wayFields(pages: ConsolePages & RefundDeps, view: View, loaded: Loaded): readonly Field[] {
  const { say } = view
  const [now, { rules }] = [pages.clock.now(), pages]
  const words = { hand: say('returnByHand'), balance: say('returnToBalance') }
  const ways = (['hand', 'balance'] as const).flatMap((to) => {
    const settled = settledBy(loaded, to, now, rules)
    if (settled && 'missing' in settled) return []
    const own = previewOf(loaded, settled, now, rules).changes.filter((change) => !isOfEachWay(change))
    return [[to, inWords(pages, view, own)] as const]
  })
  const first = ways.find(([to]) => to === usualWay(loaded)) ?? ways[0]
  if (!first) return []
  return [
    {
      ...{ name: 'to', label: say('returnTo'), value: first[0], type: 'text' },
      choices: ways.map(([to]) => [to, words[to]]),
      effects: Object.fromEntries(ways),
    },
  ]
}

export const refund = act<RefundDeps>().decides({
  name: 'payment.refund',
  roles: ['accountant'],
  on: PAYMENT,
  operationId: 'recordRefund',
  summary: 'Record a refund that was made by hand at the provider; ends the period it bought',
  description:
    'It moves no money. The period it bought ends; later paid periods move up. Of a change of plan the old ' +
    'plan runs to the end. A top-up leaves the balance. 409 when the payment is not paid, when a change ' +
    'stands on it, which is named, or when there is less on the balance than it takes.',
  input: RefundSchema,
  refuses: ['already_refunded', 'refund_change_first', 'balance_too_low'],
  texts: actTexts(ledgerWords, 'refund'),
  load: (deps, { id }) => loadRefundable(deps, id),
  decide: (loaded, { input }, now, { rules }) => {
    const settled = settledBy(loaded, input.to, now, rules)
    if (settled && 'missing' in settled)
      throw new BillingError('balance_too_low', { extra: { missing: settled.missing } })
    return settled
  },
  save: (deps, { by }, { facts, decision, now }) => {
    const revision = { ...decision, document: creditNoteFor(deps, facts.documents, now) }
    return changeBy(deps, { ...by, act: 'payment.refund' }, facts, { revision, now })
  },
  preview: ({ facts, decision, now }, { rules }) => previewOf(facts, decision, now, rules),
  previews: { schema: RefundPreviewSchema, view: viewRefund },
  form: {
    isOffered: ({ payment }) => payment.status === 'paid',
    asks: null,
    fields: async (pages, view, id) => {
      const loaded = await loadRefundable(pages, id)
      return hasChoice(loaded, pages.rules) ? wayFields(pages, view, loaded) : []
    },
    inWords: (pages, view, preview) => ({
      changes: [
        // Each way tells by itself what it changes.
        ...inWords(
          pages,
          view,
          hasChoice(preview.detail, pages.rules) ? preview.changes.filter(isOfEachWay) : preview.changes,
        ),
        ...preview.detail.moved.map(({ from, to }) => ({
          name: view.say('periodOf', { id: to.sourceId }),
          before: spanInWords(pages, view, from.periodStart, from.periodEnd),
          after: spanInWords(pages, view, to.periodStart, to.periodEnd),
        })),
      ],
      facts: [
        [
          view.say('amount'),
          pages.formats.centimes(Math.round(preview.detail.paid.total * 100), view.locale),
        ],
      ],
    }),
  },
})

type RefundPreview = Preview<ReturnType<typeof previewOf>['detail']>

function previewOf(
  { payment, user, paid }: Loaded,
  decision: Refund | null,
  now: Instant,
  rules: BillingRules,
) {
  const places = placesOf(user.subscription.periods)
  const moved = (decision?.moved ?? []).flatMap((to) =>
    places.filter(({ sourceId }) => sourceId === to.sourceId).map((from) => ({ from, to })),
  )
  const { changes } = accessAfter({ facts: user, decision, now }, rules)
  // With the money the standing order may buy at once: access and balance are those after it.
  const due = decision && dueRenewal(decision.subscription, now, rules)
  const after = decision && renewed(decision.subscription, now, rules)
  return {
    changes: [
      { what: 'status', before: 'paid', after: 'refunded' },
      ...changes,
      ...(due
        ? [
            {
              what: 'orderBuys',
              before: null,
              after: `${due.order.plan.id} ${due.order.months}: ${due.order.price}`,
            },
          ]
        : []),
      ...(decision?.entry && after
        ? [
            {
              what: 'userBalance',
              before: String(balanceIn(user.subscription)),
              after: String(balanceIn(after)),
            },
          ]
        : []),
    ],
    detail: { payment, paid, moved, events: decision?.events ?? [] },
  }
}

function viewRefund(preview: RefundPreview): Static<typeof RefundPreviewSchema> {
  const { payment, paid, moved, events } = preview.detail
  const { price, id, userId } = payment
  const { before, after } = standings(preview)
  return {
    ...{ payment_id: id, user_id: userId, amount: price.amount, ...paid, currency: price.currency },
    ...{ before, after },
    moved: moved.map(({ from, to }) => ({
      id: to.sourceId,
      period_start: toTimestamp(from.periodStart),
      period_end: toTimestamp(from.periodEnd),
      new_period_start: toTimestamp(to.periodStart),
      new_period_end: toTimestamp(to.periodEnd),
    })),
    events: [...events],
  }
}

function spanInWords({ formats }: ConsolePages, { say, locale }: View, start: Instant, end: Instant): string {
  return say('periodText', { start: formats.moment(start, locale), end: formats.moment(end, locale) })
}
