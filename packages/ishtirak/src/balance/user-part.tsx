// The balance and standing order among everything known of a user; nothing for a user who never had either.
import type { Static } from 'typebox'
import type { UserPart } from '../acts/file-parts.js'
import { balanceIn } from '../core/balance.js'
import { describeBalance } from '../core/event.js'
import type { Instant } from '../core/instant.js'
import { renewed, renewsAt, type SubscriptionFacts } from '../core/subscription.js'
import { nullable, object } from '../http/schemas.js'
import { planAndTerm } from '../i18n/formats.js'
import { sayFor } from '../i18n/messages.js'
import { type BalanceEntry, entriesOfUser } from '../ledger/balance-entries.sql.js'
import { balanceMembers } from '../ledger/balance-schemas.js'
import { PaymentLink } from '../ledger/labels.js'
import type { CommonParts } from '../ledger/parts.js'
import { findUser } from '../ledger/users.sql.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { Facts, Table, Text } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'

type Part = {
  readonly facts: SubscriptionFacts
  readonly entries: readonly BalanceEntry[]
  readonly now: Instant
} | null

const ENTRIES_SHOWN = 20

const BalanceFileSchema = object('BalanceFile', balanceMembers)

export function balancePart(deps: Pick<CommonParts, 'database' | 'clock' | 'rules'>): UserPart<Part> {
  const { database, clock, rules } = deps
  return {
    key: 'balance',
    schema: nullable(BalanceFileSchema, { description: 'Null: the user never had one, nor an order' }),
    load: async ({ userId }) => {
      const user = await findUser(database, userId)
      if (!user) return null
      const now = clock.now()
      const facts = renewed(user.subscription, now, rules)
      if (!facts.balance) return null
      const entries = await entriesOfUser(database, userId, { before: null, limit: ENTRIES_SHOWN })
      return { facts, entries, now }
    },
    view: (part): Static<typeof BalanceFileSchema> | null => part && describeBalance(part.facts, part.now),
    card: (pages, view, part) => part && <BalanceCard {...{ pages, view, part }} />,
  }
}

function BalanceCard({ pages, view, part }: { pages: ConsolePages; view: View; part: NonNullable<Part> }) {
  const { say, locale, money } = view
  const { facts, entries } = part
  const order = facts.balance?.order ?? null
  const what = order && { what: planAndTerm(order.plan, order.months, locale), price: money(order.price) }
  const sayEntry = sayFor(pages.seller.identity, locale)
  return (
    <Card id="balance" title={say('userBalance')}>
      <Facts
        facts={[
          [say('amount'), money(balanceIn(facts))],
          [say('standingOrder'), what && say('standingOrderWhat', what)],
          [say('orderNext'), view.moment(renewsAt(facts))],
          [say('orderOffered'), order?.offered ? money(order.offered.price) : null],
        ]}
      />
      {entries.length === 0 ? null : (
        <details open={entries.length <= 3}>
          <summary>
            <h3 safe>{say('balanceEntries')}</h3>
          </summary>
          <Table
            {...{ pages, view }}
            rows={entries}
            columns={[
              { head: 'when', text: ({ createdAt }) => view.moment(createdAt) },
              {
                head: 'what',
                safe: ({ kind, note, paymentId: id }) => (
                  <>
                    <Text>{sayEntry(`entry_${kind}`)}</Text>
                    {note === null ? null : <Text>{` · ${note}`}</Text>}
                    {id === null ? null : <PaymentLink {...{ pages, view, id }} payment={null} />}
                  </>
                ),
              },
              { head: 'amount', nowrap: ({ amount }) => view.moved(amount) },
              { head: 'userBalance', nowrap: ({ balanceAfter }) => money(balanceAfter) },
            ]}
          />
        </details>
      )}
    </Card>
  )
}
