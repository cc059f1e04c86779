import fc from 'fast-check'
import {
  aPayment,
  aReport,
  catalogueOf,
  days,
  FREE,
  NOON,
  PRO,
  RULES,
} from '../../../../test/support/fixtures.js'
import { forAll } from '../../../../test/support/for-all.js'
import { balanceIn, type NewEntry, withEntry, withOrder } from './balance.js'
import { changeAt } from './change.js'
import { DAY, type Instant, MINUTE } from './instant.js'
import type { Payment } from './payment.js'
import type { Plan } from './plan.js'
import { decideEnd, decideRefund, withBalanceEntry } from './refund.js'
import { decideSettlement } from './settlement.js'
import { BY_BALANCE, dueRenewal, NEVER_PAID, type SubscriptionFacts, withRenewal } from './subscription.js'

const TEAM: Plan = { ...PRO, id: 'team', name: 'Team', price: 5_000 }
const RULED = { ...RULES, catalogue: catalogueOf([FREE, PRO, TEAM]), balanceMax: 1_000_000 }

const ACTS = 'buy change top_up spend spend_change order refund refund end pay_out'.split(' ')
const acts = fc.array(
  fc.record({
    act: fc.constantFrom(...ACTS),
    after: fc.oneof(fc.integer({ min: 0, max: 5 * DAY }), fc.integer({ min: 0, max: 40 * DAY })),
    /** How long the provider's page was open before the payment. */
    open: fc.constantFrom(0, MINUTE, 20 * DAY, 50 * DAY),
    amount: fc.integer({ min: 50, max: 9_000 }),
    which: fc.nat(30),
    toBalance: fc.boolean(),
  }),
  { minLength: 1, maxLength: 20 },
)
type Act = typeof acts extends fc.Arbitrary<readonly (infer One)[]> ? One : never

/** The accounts of one user, kept by hand beside the facts. */
interface Books {
  facts: SubscriptionFacts
  now: Instant
  /** What is sold and not refunded, by payment, and how much of each payment went to the balance. */
  readonly sold: Map<string, number>
  readonly paid: Map<string, { readonly payment: Payment; readonly onBalance: number }>
  cameIn: number
  givenBack: number
}

function bookDue(books: Books): void {
  for (;;) {
    const due = dueRenewal(books.facts, books.now, RULED)
    if (!due) return
    const id = `pay_${books.paid.size}`
    books.facts = withRenewal(books.facts, due, id)
    const { price, plan, months } = due.order
    const { start, end } = due.added.period
    const of = { id, plan, months, method: BY_BALANCE, paidAt: due.at, periodStart: start, periodEnd: end }
    const payment = aPayment({ ...of, status: 'paid', price: { amount: price, currency: 'DZD' } })
    books.paid.set(id, { payment, onBalance: 0 })
    books.sold.set(id, price)
  }
}

function pay(books: Books, wanted: Partial<Payment>, open: number): void {
  const amount = wanted.price?.amount ?? 0
  const byBalance = wanted.method === BY_BALANCE
  if (byBalance && balanceIn(books.facts) < amount) return
  const createdAt = books.now
  const id = `card_${books.paid.size}`
  const ordered = aPayment({ ...wanted, id, checkoutId: id, createdAt, expiresAt: createdAt + 30 * MINUTE })
  books.now += byBalance ? 0 : open
  bookDue(books)
  const at = books.now
  const report = aReport({ paymentId: id, checkoutId: id, amount, createdAt, updatedAt: at, paidAt: at })
  const method = { lookupsAfterMs: [], settledBy: 'provider' as const }
  const { payment, subscription, entry, outcome } = decideSettlement(
    { payment: ordered, subscription: books.facts },
    { ...report, method: ordered.method },
    { now: at, rules: RULED, freshPaymentId: () => 'pay_second', isAnswer: true, method },
  )
  expect(outcome).toBe('booked')
  if (!payment) return
  books.facts = subscription ?? books.facts
  const onBalance = entry?.amount ?? 0
  books.paid.set(id, { payment, onBalance })
  books.sold.set(id, payment.price.amount - onBalance)
  if (!byBalance) books.cameIn += amount
  else books.facts = withEntry(books.facts, entryOf(books, 'purchase', -amount, id))
}

function entryOf(books: Books, kind: NewEntry['kind'], amount: number, paymentId: string | null): NewEntry {
  return { kind, amount, paymentId, note: null, at: books.now }
}

function giveBack(books: Books, { which, toBalance: wanted }: Act): void {
  const all = [...books.paid.values()].filter(({ payment }) => payment.status === 'paid')
  const chosen = all[which % Math.max(all.length, 1)]
  if (!chosen) return
  const { payment, onBalance } = chosen
  const decided = decideRefund({ payment, subscription: books.facts }, books.now, RULED)
  if (!decided || 'changeFirst' in decided) return
  const toBalance = payment.kind !== 'top_up' && (wanted || payment.method === BY_BALANCE)
  const settled = withBalanceEntry(decided, { toBalance, onBalance }, books.now)
  if ('missing' in settled) return
  books.facts = settled.subscription
  books.paid.set(payment.id, { payment: settled.payment, onBalance })
  books.sold.delete(payment.id)
  if (!toBalance) books.givenBack += payment.price.amount
}

function act(books: Books, one: Act): void {
  books.now += one.after
  bookDue(books)
  const { facts, now } = books
  const card = (price: number, wanted: Partial<Payment> = {}) =>
    pay(books, { price: { amount: price, currency: 'DZD' }, ...wanted } as Partial<Payment>, one.open)
  const change = changeAt(facts, TEAM, now, RULED.leastAmount)
  const ofChange = change && { kind: 'change' as const, plan: TEAM, months: null, change: change.order }
  switch (one.act) {
    case 'buy':
    case 'spend':
      card(PRO.price, one.act === 'spend' ? { method: BY_BALANCE } : {})
      break
    case 'change':
    case 'spend_change':
      if (change)
        card(change.difference, { ...ofChange, ...(one.act !== 'change' && { method: BY_BALANCE }) })
      break
    case 'top_up':
      card(one.amount, { kind: 'top_up', plan: null, months: null })
      break
    case 'order': {
      const order = { plan: PRO, months: 1, price: PRO.price, offered: null }
      books.facts = withOrder(facts, one.toBalance ? order : null, now)
      break
    }
    case 'refund':
      giveBack(books, one)
      break
    case 'end':
      books.facts = decideEnd(facts, now, RULED)?.subscription ?? facts
      break
    default:
      if (balanceIn(facts) < one.amount) break
      books.facts = withEntry(facts, entryOf(books, 'paid_out', -one.amount, null))
      books.givenBack += one.amount
  }
}

it('what came in is what was earned, what is owed and what was given back', () => {
  const seen = { surplus: 0, renewals: 0 }
  forAll(2_000, acts, (list) => {
    const books: Books = {
      ...{ facts: NEVER_PAID, now: NOON + days(1), sold: new Map(), paid: new Map() },
      ...{ cameIn: 0, givenBack: 0 },
    }
    for (const one of list) {
      act(books, one)
      bookDue(books)
      const earned = [...books.sold.values()].reduce((sum, amount) => sum + amount, 0)
      expect(earned + balanceIn(books.facts) + books.givenBack).toBe(books.cameIn)
    }
    for (const { payment, onBalance } of books.paid.values()) {
      if (payment.kind === 'change' && onBalance > 0) seen.surplus += 1
      if (payment.method === BY_BALANCE) seen.renewals += 1
    }
  })
  // The averages are 65 and 550.
  expect(Math.min(seen.surplus, seen.renewals)).toBeGreaterThan(20)
})
