// The events to the platform, in the order of a subscription's life: what each is about, what it carries
// besides the state, which mail the user gets for the same reason, and what a sample shows.
import type { PublicPaymentStatus } from './payment.js'

type Cause = 'payment' | 'change' | 'announcement' | 'grant' | 'balance' | 'reason'

interface Described {
  readonly meaning: string
  /** The parts that the event always carries besides the state. */
  readonly carries: readonly Cause[]
  /** The kind of mail that the user gets. The mail is about the payment or the grant. */
  readonly mail?: string
  readonly sample: {
    /** The state after the event; absent: the free plan, and nothing was ever paid. */
    readonly state?: 'active' | 'expiring' | 'past_due' | 'expired' | 'canceled'
    readonly payment?: readonly [PublicPaymentStatus, 'card' | 'transfer']
  }
}

const EVENTS = {
  'subscription.activated': {
    meaning: 'A first term was paid, or one after the end of grace: a new run begins.',
    carries: [],
    sample: { state: 'active', payment: ['paid', 'card'] },
  },
  'subscription.renewed': {
    meaning: 'A further term was paid: it follows on the one before.',
    carries: [],
    sample: { state: 'active', payment: ['paid', 'card'] },
  },
  'subscription.changed': {
    meaning:
      'Another plan runs to the end of the paid time: a dearer one was paid, or that payment was refunded.',
    carries: ['payment', 'change'],
    sample: { state: 'active', payment: ['paid', 'card'] },
  },
  'subscription.expiring': {
    meaning: '7, 3 and 1 days before the end: nothing has changed yet, the user may renew.',
    carries: ['announcement'],
    sample: { state: 'expiring' },
  },
  'subscription.past_due': {
    meaning: 'The end was reached. Access goes on through the days of grace.',
    carries: ['announcement'],
    sample: { state: 'past_due' },
  },
  'subscription.expired': {
    meaning: 'Grace is over: the limits are those of the free plan.',
    carries: ['announcement'],
    sample: { state: 'expired' },
  },
  'subscription.canceled': {
    meaning: 'The operator has ended it.',
    carries: [],
    sample: { state: 'canceled' },
  },
  'subscription.granted': {
    meaning: 'Time was added without a payment: days by the operator or a trial, or months by a code.',
    carries: ['grant'],
    mail: 'granted',
    sample: { state: 'active' },
  },
  'payment.requested': {
    meaning:
      'A transfer was asked for: the user has its reference and the accounts, and nothing is paid yet.',
    carries: ['payment'],
    mail: 'payment_requested',
    sample: { payment: ['pending', 'transfer'] },
  },
  'payment.proof_received': {
    meaning: 'The user has uploaded a picture or PDF of a transfer: the operator looks at it.',
    carries: ['payment'],
    mail: 'proof_received',
    sample: { payment: ['pending', 'transfer'] },
  },
  'payment.paid': {
    meaning: 'A payment was booked: its money has come.',
    carries: ['payment'],
    mail: 'receipt',
    sample: { state: 'active', payment: ['paid', 'card'] },
  },
  'payment.failed': {
    meaning: 'The provider has reported that a payment failed. The user may try again.',
    carries: ['payment'],
    sample: { payment: ['failed', 'card'] },
  },
  'payment.refused': {
    meaning: 'The operator has refused a transfer, for this reason. Money that comes later still counts.',
    carries: ['payment', 'reason'],
    mail: 'payment_refused',
    sample: { payment: ['canceled', 'transfer'] },
  },
  'payment.review': {
    meaning: 'The provider’s report differs from our own row: the operator looks at it, no time is added.',
    carries: ['payment'],
    sample: { payment: ['review', 'card'] },
  },
  'payment.refunded': {
    meaning: 'The operator has recorded a refund.',
    carries: ['payment'],
    mail: 'refunded',
    sample: { state: 'canceled', payment: ['refunded', 'card'] },
  },
  'balance.changed': {
    meaning: 'Money was paid into the user’s balance, spent from it, corrected or given back.',
    carries: ['balance'],
    sample: {},
  },
  'balance.renewal_changed': {
    meaning: 'The standing order was set or ended, or another price is offered for it.',
    carries: ['balance'],
    sample: {},
  },
} as const satisfies Record<string, Described>

export type EventType = keyof typeof EVENTS
export const EVENT_TYPES = Object.keys(EVENTS) as readonly EventType[]

export type CauseOf<Type extends EventType> = (typeof EVENTS)[Type]['carries'][number]

export const describedEvent = (type: EventType): Described => EVENTS[type]
