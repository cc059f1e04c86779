// Records a refund that was made by hand: its period ends and later ones move up. It moves no money.
import { Type } from 'typebox'
import { act, change, WhySchema } from '../acts/act.js'
import { balanceIn } from '../core/balance.js'
import { BillingError, wrongField } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { decideRefund, placesOf, type Refund, withBalanceEntry } from '../core/refund.js'
import { type BillingRules, BY_BALANCE, dueRenewal, renewed } from '../core/subscription.js'
import { request } from '../http/schemas.js'
import type { View } from '../pages/console-frame.js'
import type { Field } from '../pages/field.js'
import { givenToBalance } from './balance-entries.sql.js'
import { type ChangeDeps, changeBy } from './change-user.js'
import { creditNoteFor, describeTotal } from './documents.js'
import { documentsOfPayment } from './documents.sql.js'
import { loadPayment, refusalByStatus } from './load.js'
import { PAYMENT, type SubjectDeps } from './subjects.js'

type RefundDeps = ChangeDeps & SubjectDeps

type Loaded = Awaited<ReturnType<typeof loadRefundable>>

async function loadRefundable(deps: RefundDeps, paymentId: string) {
  const loaded = await loadPayment(deps, paymentId)
  const { payment, user } = loaded
  const documents = payment.status === 'paid' ? await documentsOfPayment(deps.database, payment) : []
  const paid = documents[0] && describeTotal(documents[0].snapshot)
  if (!paid) throw await refusalByStatus(deps, payment)
  const onBalance = user.subscription.balance ? await givenToBalance(deps.database, payment) : 0
  return { ...loaded, paid, documents, onBalance }
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

/** True if the operator may choose where the money goes: balances exist and the payment was no top-up. */
function hasChoice({ payment }: Pick<Loaded, 'payment'>, { balanceMax }: BillingRules): boolean {
  return balanceMax > 0 && payment.kind !== 'top_up'
}

function usualDestination({ payment }: Pick<Loaded, 'payment'>): 'balance' | 'hand' {
  return payment.method === BY_BALANCE ? 'balance' : 'hand'
}

/** Throws `refund_change_first`, and `validation_failed` if the payment cannot be refunded to a balance. */
function refundTo(loaded: Loaded, to: string | undefined, now: Instant, rules: BillingRules) {
  const { payment, user, onBalance } = loaded
  if (to === 'balance' && !hasChoice(loaded, rules)) throw wrongField('to', 'not_allowed')
  const decided = decideRefund({ payment, subscription: user.subscription }, now, rules)
  if (decided && 'changeFirst' in decided)
    throw new BillingError('refund_change_first', { extra: { payment_id: decided.changeFirst } })
  const toBalance = (to ?? usualDestination(loaded)) === 'balance'
  return decided && withBalanceEntry(decided, { toBalance, onBalance }, now)
}

/** The choices for which the balance has enough. Throws `refund_change_first`. */
function destinationField({ say }: View, loaded: Loaded, now: Instant, rules: BillingRules): Field {
  const words = { hand: say('returnByHand'), balance: say('returnToBalance') }
  const possible = (['hand', 'balance'] as const).filter((to) => {
    const refunded = refundTo(loaded, to, now, rules)
    return !refunded || !('missing' in refunded)
  })
  const value = possible.find((to) => to === usualDestination(loaded)) ?? possible[0] ?? ''
  const choices = possible.map((to) => [to, words[to]] as const)
  return { name: 'to', label: say('returnTo'), value, type: 'text', choices }
}

export const refund = act<RefundDeps>()({
  name: 'payment.refund',
  rank: 'destructive',
  roles: ['accountant'],
  on: PAYMENT,
  operationId: 'recordRefund',
  summary: 'Record a refund that was made by hand at the provider; ends the period it bought',
  description:
    'It moves no money. The period it bought ends; later paid periods move up. Of a change of plan the old ' +
    'plan runs to the end. A top-up leaves the balance. 409 when the payment is not paid, when a change ' +
    'stands on it, which is named, or when there is less on the balance than it takes.',
  input: RefundSchema,
  bulk: true,
  refuses: ['already_refunded', 'refund_change_first', 'balance_too_low'],
  isOffered: ({ payment }) => payment.status === 'paid',
  fields: async (pages, view, { id }) => {
    if (id === '') return []
    const loaded = await loadRefundable(pages, id)
    return hasChoice(loaded, pages.rules)
      ? [destinationField(view, loaded, pages.clock.now(), pages.rules)]
      : []
  },
  plan: async (deps, { id, input, by }) => {
    const loaded = await loadRefundable(deps, id)
    const now = deps.clock.now()
    const refunded = refundTo(loaded, input.to, now, deps.rules)
    if (!refunded) throw await refusalByStatus(deps, loaded.payment)
    if ('missing' in refunded)
      throw new BillingError('balance_too_low', { extra: { missing: refunded.missing } })
    return {
      version: loaded.user.version,
      changes: changesBy(loaded, refunded, now, deps.rules),
      save: () => {
        const revision = { ...refunded, document: creditNoteFor(deps, loaded.documents, now) }
        return changeBy(deps, by, loaded, { revision, now })
      },
    }
  },
})

function changesBy({ user, paid }: Loaded, refunded: Refund, now: Instant, rules: BillingRules) {
  const { subscription } = user
  const before = new Map(placesOf(subscription.periods).map((place) => [place.sourceId, place]))
  // With the refunded money the standing order may buy at once, so access and balance are shown after that.
  const due = dueRenewal(refunded.subscription, now, rules)
  const after = renewed(refunded.subscription, now, rules)
  const bought = due && `${due.order.plan.id} ${due.order.months}: ${due.order.price}`
  return [
    change.dinars('amount', paid.total),
    change.status('paid', 'refunded'),
    change.access(subscription, refunded.subscription, now, rules),
    ...(bought ? [change.text('orderBuys', null, bought)] : []),
    ...(refunded.entry ? [change.dinars('userBalance', balanceIn(subscription), balanceIn(after))] : []),
    ...refunded.moved.map((to) => change.span('period', before.get(to.sourceId) ?? null, to, to.sourceId)),
  ]
}
