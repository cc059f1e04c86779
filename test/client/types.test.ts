// The client writes the shapes of the API down a second time, because it imports nothing: here the two are
// held together.
import { expect, expectTypeOf, it } from 'vitest'
import type * as client from '../../packages/client/src/types.js'
import type { BillingEvent, CauseOf } from '../../packages/client/src/verify-event.js'
import type * as buyers from '../../packages/ishtirak/src/buyers/buyer-schemas.js'
import type { HostEvent, PlatformEvent } from '../../packages/ishtirak/src/core/event.js'
import { EVENT_TYPES, type EventType } from '../../packages/ishtirak/src/core/event-types.js'
import { describeWebhooks } from '../../packages/ishtirak/src/events/schemas.js'
import type * as balances from '../../packages/ishtirak/src/ledger/balance-schemas.js'
import type * as payments from '../../packages/ishtirak/src/ledger/schemas.js'
import type * as service from '../../packages/ishtirak/src/limits/schemas.js'
import type { PortalLinkView } from '../../packages/ishtirak/src/portal/portal-sessions.call.js'
import type * as proformas from '../../packages/ishtirak/src/proformas/proforma-schemas.js'
import type { ProofView } from '../../packages/ishtirak/src/transfers/proof-view.js'

it('the client’s shapes are those of the service, field by field (checked by the compiler)', () => {
  expectTypeOf<client.Allowance>().toEqualTypeOf<service.Allowance>()
  expectTypeOf<client.ConsumeRequest>().toEqualTypeOf<service.ConsumeRequest>()
  expectTypeOf<client.ReleaseRequest>().toEqualTypeOf<service.ReleaseRequest>()
  expectTypeOf<client.UsageReport>().toEqualTypeOf<service.UsageReport>()
  expectTypeOf<client.UserUpdate>().toEqualTypeOf<service.UserUpdate>()
  expectTypeOf<Omit<client.PlatformUser, Limits>>().toEqualTypeOf<Omit<service.PlatformUser, Limits>>()
  // The client names the four limits of the catalogue without PLANS_FILE, beside any others.
  expectTypeOf<client.PlatformUser[Limits]>().toExtend<service.PlatformUser[Limits]>()
  expectTypeOf<Omit<client.Overview, Limits>>().toEqualTypeOf<Omit<service.PlatformOverview, Limits>>()
  expectTypeOf<Omit<client.Plan, 'limits'>>().toEqualTypeOf<Omit<payments.PlanView, 'limits'>>()
  expectTypeOf<client.BillingStatus>().toEqualTypeOf<payments.BillingStatus>()
  expectTypeOf<client.PortalSession>().toEqualTypeOf<PortalLinkView>()
  expectTypeOf<client.UpgradeResult>().toEqualTypeOf<payments.UpgradeResult>()
  expectTypeOf<client.PaymentsQuery>().toEqualTypeOf<payments.PaymentsQuery>()
  expectTypeOf<client.PaymentPage>().toEqualTypeOf<payments.PaymentPage>()
  expectTypeOf<client.Offer>().toEqualTypeOf<payments.OfferView>()
  expectTypeOf<client.Quote>().toEqualTypeOf<payments.QuoteView>()
  expectTypeOf<client.PaymentRequest>().toEqualTypeOf<payments.PaymentRequest>()
  expectTypeOf<client.Payment>().toEqualTypeOf<payments.PaymentView>()
  expectTypeOf<client.Proof>().toEqualTypeOf<ProofView>()
  expectTypeOf<client.UserBalance>().toEqualTypeOf<balances.UserBalanceView>()
  expectTypeOf<client.StandingOrder>().toEqualTypeOf<balances.StandingOrderView>()
  expectTypeOf<client.BalanceQuery>().toEqualTypeOf<balances.BalanceQuery>()
  expectTypeOf<client.TopUpRequest>().toEqualTypeOf<balances.TopUpRequest>()
  expectTypeOf<client.RenewalRequest>().toEqualTypeOf<balances.RenewalRequest>()
  expectTypeOf<client.Buyer>().toEqualTypeOf<buyers.BuyerView>()
  expectTypeOf<client.BuyerDetails>().toEqualTypeOf<buyers.BuyerRequest>()
  expectTypeOf<client.Proforma>().toEqualTypeOf<proformas.ProformaView>()
  expectTypeOf<client.ProformaRequest>().toEqualTypeOf<proformas.ProformaWish>()
  expectTypeOf<client.Redeemed>().toEqualTypeOf<payments.RedeemedView>()
  expectTypeOf<client.Redemptions>().toEqualTypeOf<payments.RedemptionsView>()
  expectTypeOf<client.EventType>().toEqualTypeOf<EventType>()
  // The client's words are wider, so that it can receive a status or a limit that it does not know yet.
  expectTypeOf<PlatformEvent['data']>().toExtend<client.EventData>()
  expectTypeOf<MembersOf<client.EventData>>().toEqualTypeOf<MembersOf<PlatformEvent['data']>>()
})

it('what an event has by its type in the client, it has in the document', () => {
  const causes = {
    'subscription.activated': [],
    'subscription.renewed': [],
    'subscription.changed': ['payment', 'change'],
    'subscription.expiring': ['announcement'],
    'subscription.past_due': ['announcement'],
    'subscription.expired': ['announcement'],
    'subscription.canceled': [],
    'subscription.granted': ['grant'],
    'payment.requested': ['payment'],
    'payment.proof_received': ['payment'],
    'payment.paid': ['payment'],
    'payment.failed': ['payment'],
    'payment.refused': ['payment', 'reason'],
    'payment.review': ['payment'],
    'payment.refunded': ['payment'],
    'balance.changed': ['balance'],
    'balance.renewal_changed': ['balance'],
  } as const
  type Causes = { [Type in EventType]: (typeof causes)[Type][number] }
  expectTypeOf<Causes>().toEqualTypeOf<{ [Type in EventType]: CauseOf<Type> }>()
  expectTypeOf<BillingEvent['type']>().toEqualTypeOf<EventType>()
  expectTypeOf<HostEvent>().toExtend<BillingEvent>()
  const described = describeWebhooks(EVENT_TYPES, [])
  const inDocument = EVENT_TYPES.map((type) => {
    const { schema } = described[type]?.post.requestBody.content['application/json'] ?? {}
    const [user, sequence, subscription, ...cause] = schema.properties.data.required
    expect([user, sequence, subscription]).toEqual(['user_id', 'sequence', 'subscription'])
    return [type, cause]
  })
  expect(Object.fromEntries(inDocument)).toEqual(causes)
})

type Limits = 'limits' | 'usage' | 'over_limit'

/** The names of the members, and of the members of each, but for the limits. */
type MembersOf<Data> = { -readonly [Name in keyof Data]-?: keyof Required<Data>[Name] }
