// The shapes of a balance, and the views that fill them.
import { type Static, Type } from 'typebox'
import { ENTRY_KINDS } from '../core/balance.js'
import { describeBalance, describeEntry } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import { nullable, object, query, request, timestamp } from '../http/schemas.js'
import type { BalanceEntry } from './balance-entries.sql.js'
import { metadataSchema, methodSchema, returnUrlSchema, userPageOf, userPageQuery } from './schemas.js'

const wholeDinars = (description: string, ...examples: readonly number[]) =>
  Type.Integer({ description: `${description}, in whole dinars`, ...(examples.length > 0 && { examples }) })

export const BalanceEntrySchema = object('BalanceEntry', {
  id: Type.String({ examples: ['ent_01jd7k3v9m4w8x2z5c6b7n8q9r'] }),
  kind: Type.Enum([...ENTRY_KINDS], {
    examples: ['purchase'],
    description:
      '`returned`: a payment was refunded to the balance; `surplus`: money that found nothing to buy; ' +
      '`paid_out`: given back to the user',
  }),
  amount: wholeDinars('Below zero where it takes', -2_000),
  balance_after: wholeDinars('The balance after the entry', 3_000),
  payment_id: nullable(Type.String({ description: 'The payment that the entry belongs to' })),
  note: nullable(Type.String()),
  created_at: timestamp,
})

export const StandingOrderSchema = object('StandingOrder', {
  plan: Type.String({ examples: ['pro'] }),
  months: Type.Integer({ description: 'The months of each renewal', examples: [1] }),
  price: wholeDinars('The price of each renewal, as it was agreed', 2_000),
  next_at: nullable(timestamp, {
    description: 'When it buys next, if the money is there; null: as soon as it is there',
  }),
  offered_price: nullable(
    wholeDinars('The catalogue’s price now, which holds once the user sets the order again'),
  ),
})

export const balanceMembers = {
  amount: wholeDinars('The money paid in and not spent', 3_000),
  currency: Type.String({ examples: ['DZD'] }),
  renewal: nullable(StandingOrderSchema, { description: 'The standing order; null: there is none' }),
}

export const UserBalanceSchema = object('UserBalance', {
  ...balanceMembers,
  ...userPageOf(BalanceEntrySchema),
})

export const BalanceQuerySchema = query(userPageQuery)

export const TopUpRequestSchema = request('TopUpRequest', {
  amount: Type.Integer({ minimum: 1, description: 'The amount in whole dinars', examples: [6_000] }),
  method: methodSchema,
  return_url: Type.Optional(returnUrlSchema),
})

export const PlatformTopUpRequestSchema = request('PlatformTopUpRequest', {
  ...TopUpRequestSchema.properties,
  metadata: Type.Optional(metadataSchema),
})

export const RenewalRequestSchema = request('RenewalRequest', {
  plan: Type.String({ examples: ['pro'] }),
  months: Type.Optional(Type.Integer({ description: 'The term, 1 if absent', examples: [1] })),
})

export type UserBalanceView = Static<typeof UserBalanceSchema>
export type StandingOrderView = Static<typeof StandingOrderSchema>
export type BalanceQuery = Static<typeof BalanceQuerySchema>
export type TopUpRequest = Static<typeof PlatformTopUpRequestSchema>
export type RenewalRequest = Static<typeof RenewalRequestSchema>

export function viewBalance(
  facts: Pick<SubscriptionFacts, 'balance' | 'paidUntil' | 'endedAt'>,
  { entries, nextCursor }: { readonly entries: readonly BalanceEntry[]; readonly nextCursor: string | null },
  now: Instant,
): UserBalanceView {
  return {
    ...describeBalance(facts, now),
    data: entries.map(describeEntry),
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  }
}
