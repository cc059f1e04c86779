// The client writes the shapes of the API down a second time, because it imports nothing: here the two are
// held together.
import { expectTypeOf, it } from 'vitest'
import type * as client from '../../packages/client/src/types.js'
import type { EventType, PlatformEvent } from '../../packages/ishtirak/src/core/event.js'
import type * as payments from '../../packages/ishtirak/src/ledger/schemas.js'
import type * as service from '../../packages/ishtirak/src/limits/schemas.js'
import type { viewPortalLink } from '../../packages/ishtirak/src/portal/portal-sessions.route.js'
import type { viewProof } from '../../packages/ishtirak/src/transfers/proof.route.js'

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
  expectTypeOf<client.PortalSession>().toEqualTypeOf<ReturnType<typeof viewPortalLink>>()
  expectTypeOf<client.UpgradeResult>().toEqualTypeOf<payments.UpgradeResult>()
  expectTypeOf<client.PaymentsQuery>().toEqualTypeOf<payments.PaymentsQuery>()
  expectTypeOf<client.PaymentPage>().toEqualTypeOf<payments.PaymentPage>()
  expectTypeOf<client.Offer>().toEqualTypeOf<payments.OfferView>()
  expectTypeOf<client.Quote>().toEqualTypeOf<payments.QuoteView>()
  expectTypeOf<client.PaymentRequest>().toEqualTypeOf<payments.PaymentRequest>()
  expectTypeOf<client.Payment>().toEqualTypeOf<payments.PaymentView>()
  expectTypeOf<client.Proof>().toEqualTypeOf<ReturnType<typeof viewProof>>()
  expectTypeOf<client.Redeemed>().toEqualTypeOf<payments.RedeemedView>()
  expectTypeOf<client.Redemptions>().toEqualTypeOf<payments.RedemptionsView>()
  expectTypeOf<client.EventType>().toEqualTypeOf<EventType>()
  // The client's words are wider, so that it can receive a status or a limit that it does not know yet.
  expectTypeOf<PlatformEvent['data']>().toExtend<client.EventData>()
  expectTypeOf<MembersOf<client.EventData>>().toEqualTypeOf<MembersOf<PlatformEvent['data']>>()
})

type Limits = 'limits' | 'usage' | 'over_limit'

/** The names of the members, and of the members of each, but for the limits. */
type MembersOf<Data> = { -readonly [Name in keyof Data]-?: keyof Required<Data>[Name] }
