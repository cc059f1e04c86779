// What people do in the imaginary shop, each through the real use case: users buy, pay and upload, the
// provider signs events, operators approve, record and refund.
import type { Emulator } from 'chargily-emulator'
import {
  accept as acceptAct,
  approve as approveAct,
  type Billing,
  callBy,
  doAct,
  endAccess as endAct,
  findUser,
  grantDays,
  INSTRUMENTS,
  type Instant,
  type Offer,
  offersOf,
  openPayment,
  receiveEvent,
  recordPayment,
  redeem,
  refund as refundAct,
  refuse as refuseAct,
  type Service,
  showPayment,
  stampDutyAt,
  type TransferInstrument,
  toTimestamp,
  transferIn,
  uploadProof,
  webhookUrlOf,
} from 'ishtirak/internal'
import type { Person } from './people.js'
import { type Slip, slipAsPdf, slipAsPng } from './slips.js'

export interface Shop {
  readonly parts: Service['parts']
  readonly billing: Billing
  readonly emulator: Emulator
  /** The end of the year: the instant at which the demo was begun. */
  readonly endAt: Instant
  /** Codes that were not given out yet. */
  readonly vouchers: string[]
  readonly discounts: string[]
}

/** The operators of the year, as the audit trail names them. */
const OPERATORS = {
  owner: { name: 'amina', role: 'owner' },
  second: { name: 'karim', role: 'owner' },
  accountant: { name: 'salima', role: 'accountant' },
  support: { name: 'nabil', role: 'support' },
} as const

export const by = (who: keyof typeof OPERATORS, reason: string) => ({ operator: OPERATORS[who], reason })

export const nowIn = ({ parts }: Shop): Instant => parts.clock.now()

const REQUEST = 'demo'

export async function register({ billing }: Shop, { userId, email, name, locale }: Person): Promise<void> {
  await billing.updateUser(userId, { email, name, locale })
}

/** The end of paid or granted time; null: the user never had any. */
export async function paidUntil({ parts }: Shop, { userId }: Person): Promise<Instant | null> {
  return (await findUser(parts.database, userId))?.subscription.paidUntil ?? null
}

/** The offer of the user's plan with so many months, else the single month. */
export function offerFor({ parts }: Shop, person: Person, months: number): Offer {
  const sold = parts.catalogue.plans.map(offersOf).filter((offers) => offers.length > 0)
  const offers = sold[person.index % sold.length] ?? []
  const offer = offers.find((one) => one.months === months) ?? offers[0]
  if (!offer) throw new Error('the catalogue sells nothing')
  return offer
}

/** Returns the payment's id. `ahead` buys before the renewal window. */
export async function ask(
  { parts }: Shop,
  person: Person,
  of: {
    readonly months: number
    readonly method?: 'transfer'
    readonly code?: string
    readonly offer: Offer
  },
): Promise<string> {
  const { userId, locale } = person
  const { offer, method, code } = of
  const { paymentId } = await openPayment(parts, {
    user: { userId },
    planId: offer.plan.id,
    months: offer.months,
    mode: 'payment',
    locale,
    requestId: REQUEST,
    ...(method && { method }),
    ...(code !== undefined && { code }),
  })
  return paymentId
}

/** Pays at the provider's page. Its event arrives at once, unless it is `lost`. */
export async function payByCard(
  shop: Shop,
  paymentId: string,
  way: {
    readonly card: 'edahabia' | 'cib'
    readonly outcome?: 'paid' | 'failed' | 'canceled'
    /** The provider reports this amount instead from now on. */
    readonly otherAmount?: number
    readonly isLost?: boolean
  },
): Promise<void> {
  const { payment } = await showPayment(shop.parts, paymentId)
  const { otherAmount: amount, isLost = false } = way
  const page = shop.emulator.checkouts().findLast(({ id }) => id === payment.checkoutId)
  if (!page) throw new Error(`payment ${paymentId} has no page`)
  if (amount !== undefined) shop.emulator.add({ customers: [], checkouts: [{ ...page, said: { amount } }] })
  await payCheckout(shop, page.id, { ...way, isLost })
}

async function payCheckout(
  { parts, emulator }: Shop,
  checkoutId: string,
  way: {
    readonly card: 'edahabia' | 'cib'
    readonly outcome?: 'paid' | 'failed' | 'canceled'
    readonly isLost: boolean
  },
): Promise<void> {
  await emulator.pay(checkoutId, way.outcome ?? 'paid', way.card)
  const event = emulator.deliveries().findLast(({ checkout_id }) => checkout_id === checkoutId)
  if (!event) throw new Error(`the emulator signed no event of ${checkoutId}`)
  const message = { body: Buffer.from(event.body), signature: event.signature ?? undefined }
  if (!way.isLost) await receiveEvent(parts, 'chargily', message, REQUEST)
}

/** The provider made two pages for one payment, and the user has paid this one too. */
export async function paySecondPage(shop: Shop, person: Person, paymentId: string): Promise<void> {
  const { payment } = await showPayment(shop.parts, paymentId)
  const { plan, months, price } = payment
  if (months === null) throw new Error(`payment ${paymentId} buys no months`)
  await payForeignPage(shop, { ...person, paymentId, planId: plan.id, months, price, isLost: false })
}

/** A page of the provider that our books have not opened; with an unknown id it is of another shop. */
export async function payForeignPage(
  shop: Shop,
  of: Pick<Person, 'userId' | 'locale'> & {
    readonly paymentId: string
    readonly planId: string
    readonly months: number
    readonly price: Offer['price']
    readonly isLost: boolean
  },
): Promise<void> {
  const { publicUrl, methods } = shop.parts
  const { userId, paymentId, planId, months, price, locale } = of
  const page = `${publicUrl}/portal/return/${paymentId}`
  const provider = methods.of('chargily')
  const answer = await provider.createCheckout({
    ...{ paymentId, userId, kind: 'purchase', planId, months, price, locale, description: planId },
    ...{ successUrl: page, failureUrl: page, webhookUrl: webhookUrlOf(provider, publicUrl) },
  })
  if (!answer.ok) throw new Error(`the emulator opened no page: ${JSON.stringify(answer.failure)}`)
  await payCheckout(shop, answer.value.checkoutId, { card: 'edahabia', isLost: of.isLost })
}

export async function prove({ parts }: Shop, { userId }: Person, paymentId: string): Promise<void> {
  const { payment } = await showPayment(parts, paymentId)
  const day = toTimestamp(parts.clock.now()).slice(0, 10)
  const slip: Slip = { reference: payment.checkoutId ?? '', amount: payment.price.amount, day }
  const file = paymentId.charCodeAt(paymentId.length - 1) % 2 === 0 ? slipAsPng(slip) : slipAsPdf(slip)
  await uploadProof(parts, { userId, paymentId }, file)
}

/** Which kinds of account there are to pay to. */
export function instrumentsOf({ parts }: Shop): readonly TransferInstrument[] {
  const known = parts.methods.all.find(({ name }) => name === 'transfer')?.instruments ?? []
  return Object.values(INSTRUMENTS).filter((kind) => known.includes(kind))
}

/**
 * `short` is how many dinars less were paid. A second operator approves only if one is not enough, and if
 * wanted.
 */
export async function approve(
  { parts }: Shop,
  paymentId: string,
  of: { readonly instrument: TransferInstrument; readonly short?: number; readonly once?: true },
): Promise<void> {
  const { payment } = await showPayment(parts, paymentId)
  const received = {
    amount: payment.price.amount - (of.short ?? 0),
    received_at: toTimestamp(parts.clock.now()),
    payment_method: of.instrument,
  }
  const say = (who: keyof typeof OPERATORS, why: string) =>
    doAct(parts, approveAct, callBy(OPERATORS[who], paymentId, { ...received, why }))
  await say('owner', 'on the statement')
  if (of.once || transferIn(await showPayment(parts, paymentId))?.state === 'approved') return
  await say('second', 'seen on the account as well')
}

export async function refuse({ parts }: Shop, paymentId: string): Promise<void> {
  const why = 'No transfer with this reference has come.'
  await doAct(parts, refuseAct, callBy(OPERATORS.owner, paymentId, { why }))
}

/** The amount includes the stamp duty on cash. */
export async function payAtDesk(
  { parts }: Shop,
  { userId }: Person,
  of: { readonly offer: Offer; readonly method: 'cash' | 'cheque'; readonly reference: string },
): Promise<void> {
  const { offer, method, reference } = of
  const { seller, billingDayOf } = parts
  const { bearsStampDuty } = parts.methods.of(method)
  const duty = bearsStampDuty ? stampDutyAt(seller, offer.price.amount, billingDayOf(parts.clock.now())) : 0
  const amount = offer.price.amount + duty / 100
  const { months, plan } = offer
  const taken = { plan: plan.id, months, method, amount, reference, why: 'paid at the desk' }
  await doAct(parts, recordPayment, callBy(OPERATORS.owner, userId, taken))
}

export async function redeemVoucher({ parts }: Shop, { userId }: Person, code: string): Promise<void> {
  await redeem(parts, { userId }, { typed: code }, REQUEST)
}

export async function grant(
  { parts }: Shop,
  { userId }: Person,
  of: { readonly days: number; readonly planId: string; readonly why: string },
): Promise<void> {
  const operation_id = `demo ${userId} ${parts.clock.now()}`
  const wanted = { days: of.days, plan: of.planId, operation_id, why: of.why }
  await doAct(parts, grantDays, callBy(OPERATORS.support, userId, wanted))
}

export async function refund({ parts }: Shop, paymentId: string, why: string): Promise<void> {
  await doAct(parts, refundAct, callBy(OPERATORS.accountant, paymentId, { why }))
}

export async function accept({ parts }: Shop, paymentId: string): Promise<void> {
  const why = 'The user was charged this amount; the rest was waived.'
  await doAct(parts, acceptAct, callBy(OPERATORS.owner, paymentId, { why }))
}

export async function endAccess({ parts }: Shop, { userId }: Person, why: string): Promise<void> {
  await doAct(parts, endAct, callBy(OPERATORS.owner, userId, { why }))
}
