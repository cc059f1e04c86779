// What balances add to everything known of a user: what there is, the order, and what waits for a second
// operator. For a user who never had any of it there is nothing.
import { type Static, Type } from 'typebox'
import type { UserPart } from '../acts/file-parts.js'
import { balanceIn } from '../core/balance.js'
import { describeOrder } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import { renewed, renewsAt, type SubscriptionFacts } from '../core/subscription.js'
import { nullable, object } from '../http/schemas.js'
import { planAndTerm } from '../i18n/formats.js'
import { balanceMembers } from '../ledger/balance-schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUser } from '../ledger/users.sql.js'
import { type ConsolePages, Facts, type View } from '../pages/console-frame.js'
import { Card } from '../pages/portal-frame.js'
import { type Ask, waitingAsks } from './asks.sql.js'

type Part = {
  readonly facts: SubscriptionFacts
  readonly asks: readonly (Ask & { readonly act: string })[]
} | null

const BalanceFileSchema = object('BalanceFile', {
  ...balanceMembers,
  waits: Type.Array(
    Type.Object({
      act: Type.String({ examples: ['balance.pay_out'] }),
      amount: Type.Integer({ description: 'Whole dinars; below zero where it takes' }),
      by: Type.String({ description: 'The operator who asked for it' }),
    }),
    { description: 'What waits for a second operator' },
  ),
})

export function balancePart(deps: Pick<CommonParts, 'database' | 'clock' | 'rules'>): UserPart<Part> {
  const { database, clock, rules } = deps
  return {
    key: 'balance',
    schema: nullable(BalanceFileSchema, { description: 'Null: the user never had one, nor an order' }),
    load: async ({ userId }) => {
      const [user, asks] = await Promise.all([findUser(database, userId), waitingAsks(database, userId)])
      if (!user) return null
      const facts = renewed(user.subscription, clock.now(), rules)
      return facts.balance || asks.length > 0 ? { facts, asks } : null
    },
    view: (part): Static<typeof BalanceFileSchema> | null =>
      part && {
        ...{ amount: balanceIn(part.facts), currency: 'DZD', renewal: describeOrder(part.facts) },
        waits: part.asks.map(({ act, amount, by }) => ({ act, amount, by })),
      },
    card: (pages, view, part) => part && <BalanceCard {...{ pages, view, part }} />,
  }
}

function BalanceCard(shown: { pages: ConsolePages; view: View; part: NonNullable<Part> }) {
  const { pages, view, part } = shown
  const { say, locale } = view
  const { facts, asks } = part
  const money = (amount: number) => pages.formats.money(amount, locale)
  const order = facts.balance?.order ?? null
  const next: Instant | null = renewsAt(facts)
  return (
    <Card id="balance" title={say('userBalance')}>
      <Facts
        facts={[
          [say('amount'), money(balanceIn(facts))],
          [
            say('standingOrder'),
            order &&
              say('standingOrderWhat', {
                what: planAndTerm(order.plan, order.months, locale),
                price: money(order.price),
              }),
          ],
          [say('orderNext'), next === null ? null : pages.formats.moment(next, locale)],
          [say('orderOffered'), order?.offered ? money(order.offered.price) : null],
          ...asks.map(
            ({ amount, by }) => [say('waitsForSecondOperator'), `${money(amount)}, ${by}`] as const,
          ),
        ]}
      />
    </Card>
  )
}
