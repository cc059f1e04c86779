import type { AuditEntry } from '../../packages/ishtirak/src/acts/audit.sql.js'
import type { CheckoutReport } from '../../packages/ishtirak/src/core/checkout.js'
import { DAY, type Instant, MINUTE } from '../../packages/ishtirak/src/core/instant.js'
import type { Payment } from '../../packages/ishtirak/src/core/payment.js'
import type { Catalogue, Plan } from '../../packages/ishtirak/src/core/plan.js'
import type { BillingRules, SubscriptionFacts } from '../../packages/ishtirak/src/core/subscription.js'
import { createCalendar } from '../../packages/ishtirak/src/runtime/calendar.js'
import { SEED_CATALOGUE } from '../../packages/ishtirak/src/runtime/plans-file.js'

const [free, pro] = SEED_CATALOGUE.plans
if (!free || !pro) throw new Error('the seed has two plans')
export const FREE: Plan = free
export const PRO: Plan = pro

/** The first plan is the free one. */
export const catalogueOf = (plans: readonly Plan[]): Catalogue => ({
  limits: SEED_CATALOGUE.limits,
  plans,
  free: FREE,
})

export const RULES: BillingRules = {
  ...{ catalogue: catalogueOf(SEED_CATALOGUE.plans), leastAmount: 50, graceDays: 3, renewalWindowDays: 7 },
  ...{ prepayMaxMonths: 24, balanceMax: 0, calendar: createCalendar('Africa/Algiers') },
}

export const rulesOf = (catalogue: Catalogue): BillingRules => ({ ...RULES, catalogue })

export const instantOf = (text: string): Instant => Date.parse(text)
export const NOON = instantOf('2026-11-21T12:00:00Z')
export const days = (count: number): Instant => count * DAY

/** Paid once, at `NOON`. */
export const MONTH_END = instantOf('2026-12-21T12:00:00Z')
export const ONE_MONTH: SubscriptionFacts = {
  run: { anchorAt: NOON, months: 1 },
  paidUntil: MONTH_END,
  periods: [{ sourceId: 'pay_01', plan: PRO, months: 1, start: NOON, end: MONTH_END }],
  ...{ endedAt: null, instrument: 'cib', balance: null },
}

export function aPayment(changes: Partial<Payment> = {}): Payment {
  const purchase: Payment = {
    ...{
      kind: 'purchase',
      id: 'pay_01',
      userId: 'user-1',
      boughtBy: null,
      poNumber: null,
      returnUrl: null,
      metadata: null,
      plan: PRO,
    },
    ...{ months: 1, change: null, price: { amount: 2000, currency: 'DZD' }, amountAsked: null },
    ...{ codeHash: null, discount: 0, method: 'chargily', live: false, status: 'pending' },
    ...{ checkoutId: 'chk_1', checkoutUrl: 'https://pay.example/chk_1', instrument: null },
    ...{ createdAt: NOON, expiresAt: NOON + 30 * MINUTE, attemptEndsAt: NOON, paidAt: null },
    ...{
      periodStart: null,
      periodEnd: null,
      secondOf: null,
      keptAt: null,
      review: null,
      nextCheckAt: NOON + MINUTE,
    },
  }
  return { ...purchase, ...changes } as Payment
}

export function anEntry(id: string, act: string): AuditEntry {
  return {
    ...{ id, act, actor: 'karim', reason: 'twice', payment_id: null, before: {}, after: {} },
    ...{ asked: null, operation_id: null },
  }
}

export function aReport(changes: Partial<CheckoutReport> = {}): CheckoutReport {
  return {
    ...{ method: 'chargily', checkoutId: 'chk_1', status: 'paid', amount: 2000, currency: 'DZD' },
    ...{ live: false, paymentId: 'pay_01', userId: 'user-1', instrument: 'edahabia' },
    ...{ checkoutUrl: 'https://pay.example/chk_1', createdAt: NOON, updatedAt: NOON + 2 * MINUTE },
    ...changes,
  }
}

/** A company as the owner of its account enters it. */
export const ENTERED_COMPANY = {
  ...{ kind: 'company', name: 'EURL Nakhla', address: '12 rue Didouche Mourad, Alger', legal_form: 'EURL' },
  ...{ rc: '16/00-0123456 B 20', nif: '000216001808337', nis: '000216001808331', ai: '16010112345' },
}
