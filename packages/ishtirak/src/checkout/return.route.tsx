// The page after paying. It ignores what the redirect claims: it shows what is stored, after one lookup if
// nothing is settled. It shows nothing of the user, because its address is enough to read it.

import { findRefundInstant } from '../acts/audit.sql.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isPayable, type PublicPaymentStatus, publicStatusAt } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { renewabilityAt } from '../core/quote.js'
import { NEVER_PAID, statusAt } from '../core/subscription.js'
import { stretchesAt } from '../core/time-list.js'
import type { App } from '../http/app.js'
import { inParts, paidForInWords, termInWords } from '../i18n/formats.js'
import { instrumentName, planName, type Say, sayFor } from '../i18n/messages.js'
import { findPaymentById } from '../ledger/payments.sql.js'
import { Card, LinkButton, OwnForm, P, Sign, type SignKind, SubmitButton } from '../pages/parts.js'
import { type Pages, renderPage, shownMethodOf } from '../pages/portal-frame.js'
import { queryOf, type Session } from '../pages/reader.js'
import { refreshed } from './history.js'
import { Lines, type NamedLine } from './lines.js'
import { BY_CARD } from './portal-choice.js'
import { differingSums } from './portal-payments.js'
import type { StatusDeps } from './status.js'

/** How often the page reloads itself: 4 times at 3 s after paying, then every 10 s, three minutes in all. */
const REFRESHES_MAX = 20
const QUICK_REFRESHES = 4

export function returnRoutes(app: App, pages: Pages & StatusDeps): void {
  app.get<{ Params: { payment_id: string } }>(
    '/portal/return/:payment_id',
    { schema: { hide: true } },
    async (request, reply) => {
      pages.limitAnonymous(request, reply)
      const returned = await readReturnedPayment(pages, request.params.payment_id, request.id)
      const { payment, status, payerLocale } = returned
      const isUnpaid = status === 'pending' || status === 'expired' || status === 'canceled'
      // The method has no page to return from: the portal says where to send the money.
      if (isUnpaid && shownMethodOf(pages, payment))
        return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
      const reader = await pages.reader.session(request)
      const session = reader?.userId === payment.userId ? reader : null
      const locale = pages.reader.language(request, reply, session, payerLocale)
      const say = sayFor(pages.seller.identity, locale)
      const look = Number(/^\d{1,3}$/.exec(queryOf(request, 'look') ?? '') ?? 0)
      const isWaiting = status === 'pending' && look < REFRESHES_MAX
      // A header field: browsers obey it without JavaScript, and the markup stays unchanged.
      if (isWaiting) reply.header('refresh', `${look < QUICK_REFRESHES ? 3 : 10}; url=?look=${look + 1}`)
      const view = { ...returned, pages, session, locale, say, isWaiting }
      return reply.headers(pages.headers).send(returnPage(view))
    },
  )
}

async function readReturnedPayment(deps: StatusDeps, paymentId: string, requestId?: string) {
  const find = () => findPaymentById(deps.database, paymentId)
  const { payment, now } = await refreshed(deps, find, requestId)
  const { userId, status } = payment
  const [loaded, refundedAt] = await Promise.all([
    deps.loadUser(userId),
    status === 'refunded' ? findRefundInstant(deps.database, { userId, paymentId }) : null,
  ])
  // The payer's facts now: a later payment, the end of the time or an operator may have changed them.
  const facts = loaded?.user.subscription ?? NEVER_PAID
  const subscription = statusAt(facts, now, deps.rules)
  const mayRenew = renewabilityAt(facts, now, deps.rules).allowed
  const other = loaded?.open ?? null
  const awaited = other && other.id !== paymentId && other.checkoutUrl === null && isPayable(other, now)
  return {
    ...{ payment, subscription, mayRenew, refundedAt, now, otherOpen: awaited ? other : null },
    status: publicStatusAt(payment, now),
    // The language of the payer's profile. The page uses nothing else of the payer.
    payerLocale: loaded?.user.locale ?? null,
  }
}

interface ReturnView extends Awaited<ReturnType<typeof readReturnedPayment>> {
  readonly pages: Pages
  readonly session: Session | null
  readonly locale: Locale
  readonly say: Say
  readonly isWaiting: boolean
}

function returnPage(view: ReturnView): string {
  const { pages, payment, status, session, locale, say } = view
  const title = say(`return_${status}_title`)
  const other = view.otherOpen && shownMethodOf(pages, view.otherOpen)
  // Only the payer's own session shows the payer's address.
  const mailedTo = status === 'paid' && pages.mailsLinks ? (session?.email ?? null) : null
  return renderPage(pages, {
    locale,
    title,
    // A paid order has that link as its main button.
    backUrl: status === 'paid' ? null : backUrlOf(view),
    safeContent: (
      <div class="middle">
        <section class="card" role={status === 'pending' ? 'status' : undefined}>
          <Sign kind={SIGNS[status]} />
          <h1 safe>{title}</h1>
          <p class="bought">
            <b safe>
              {inParts([paidForInWords(payment, locale), pages.formats.amountPaid(payment, locale)], locale)}
            </b>
          </p>
          <P>{textOf(view)}</P>
          {status === 'failed' ? <AfterFailure say={say} /> : null}
          {mailedTo === null ? null : <p safe>{say('receiptMailed', { address: masked(mailedTo) })}</p>}
          {status === 'paid' && other ? <p safe>{say(other.also)}</p> : null}
          <Actions {...view} />
        </section>
        <Card id="details" title={say('details')}>
          <Lines look="facts" lines={detailsOf(view)} />
          <Lines look="facts ids" lines={idsOf(view)} />
        </Card>
      </div>
    ),
  })
}

/** The page to which the platform wanted the payer to return, or else its usual page. */
function backUrlOf({ pages, payment, status, session }: ReturnView): string {
  if (payment.returnUrl === null) return pages.backUrl(session)
  const url = new URL(payment.returnUrl)
  url.searchParams.set('payment_id', payment.id)
  url.searchParams.set('status', status)
  return url.href
}

/** `n…@example.dz`: enough for its owner, who may not be alone at the screen. */
function masked(email: string): string {
  const [local = '', domain = ''] = email.split(/@(?=[^@]*$)/)
  return `${Array.from(local)[0] ?? ''}…@${domain}`
}

const SIGNS: Readonly<Record<PublicPaymentStatus, SignKind>> = {
  paid: 'ok',
  pending: 'waiting',
  failed: 'bad',
  canceled: 'info',
  expired: 'late',
  review: 'review',
  refunded: 'back',
}

function textOf(view: ReturnView): string {
  const { pages, say, payment, status, refundedAt, locale } = view
  if (status === 'pending' && !view.isWaiting) return say('returnStillPendingText')
  if (refundedAt !== null) return say('returnRefundedOnText', { date: pages.formats.day(refundedAt, locale) })
  const sums = status === 'review' && differingSums(pages.formats, payment, locale)
  if (sums) return say('reviewAmounts', sums)
  if (status !== 'paid') return say(`return_${status}_text`)
  return payment.kind === 'top_up' ? say('returnTopUpText') : boughtInWords(view)
}

function boughtInWords({ pages: { formats }, say, payment, subscription, now, locale }: ReturnView): string {
  // A paid payment has a period.
  const [start, end] = [payment.periodStart ?? now, payment.periodEnd ?? now]
  const plan = planName(payment.plan?.name ?? '', locale)
  const words = { plan, start: formats.day(start, locale), end: formats.day(end, locale) }
  const stretches = stretchesAt(subscription, now)
  const stretch = stretches.find((one) => one.start <= start && start < one.end)
  if (!stretch) return say('returnPaidUsedText', words)
  if (stretch === stretches[0])
    return say('return_paid_text', { plan, end: formats.moment(stretch.end, locale) })
  return say('returnPaidLaterText', { ...words, current: planName(subscription.plan.name, locale) })
}

/**
 * SATIM's number for card holders (3021 is for merchants). SATIM requires merchants to print the message
 * `satim` in these words if a card payment fails (source: its rules for failure pages).
 */
const SATIM_NUMBER = '3020'

function AfterFailure({ say }: { say: Say }) {
  return (
    <>
      <P>{say('returnUnchanged')}</P>
      <p class="notice warn">
        <span safe>{say('satim')}</span>{' '}
        <a href={`tel:${SATIM_NUMBER}`} dir="ltr">
          <b>{SATIM_NUMBER}</b>
        </a>
      </p>
    </>
  )
}

function Actions(view: ReturnView) {
  const { pages, say, payment, status, now, session } = view
  const isOver = status === 'failed' || status === 'canceled' || status === 'expired'
  const mayPay = session === null || mayOrder(session)
  const portal = `${pages.base}/portal`
  return (
    <div class="actions">
      {isOver && session && mayPay ? <TryAgain view={view} session={session} /> : null}
      {isOver && !session ? <LinkButton href={backUrlOf(view)} label={say('tryAgain')} go /> : null}
      {status === 'pending' ? (
        <LinkButton href={`${portal}/return/${payment.id}`} label={say('checkNow')} go />
      ) : null}
      {mayPay && isPayable(payment, now) && payment.checkoutUrl !== null ? (
        <LinkButton href={payment.checkoutUrl} label={say('notPaidYet')} />
      ) : null}
      {status === 'paid' ? <LinkButton href={backUrlOf(view)} label={say('backToSeller')} go /> : null}
      {session && (status === 'paid' || status === 'refunded') ? (
        <LinkButton href={`${portal}/receipts/${payment.id}`} label={say('receipt')} />
      ) : null}
      {session ? <LinkButton href={portal} label={say('openPortal')} /> : null}
    </div>
  )
}

/** Buys again with one click. A purchase ahead or with a code is chosen again in the portal. */
function TryAgain({ view, session }: { readonly view: ReturnView; readonly session: Session }) {
  const { pages, say, mayRenew } = view
  const { kind, plan, months, codeHash } = view.payment
  const label = say('tryAgain')
  if (!mayRenew || codeHash !== null || kind !== 'purchase')
    return <LinkButton href={`${pages.base}/portal`} label={label} go />
  const kept = { plan: plan.id, months: String(months) }
  return (
    <OwnForm {...{ session, kept }} action={`${pages.base}${BY_CARD.path}`}>
      <SubmitButton label={label} />
    </OwnForm>
  )
}

function detailsOf(view: ReturnView): readonly NamedLine[] {
  const { payment, refundedAt, pages, locale, say } = view
  const { formats } = pages
  const { paidAt, periodStart: start, periodEnd: end, instrument, discount } = payment
  const local = (instant: Instant | null) =>
    instant === null ? null : say('localTime', { moment: formats.moment(instant, locale) })
  const day = (instant: Instant) => formats.day(instant, locale)
  const isTime = payment.kind === 'purchase'
  return [
    [say('plan'), isTime ? planName(payment.plan.name, locale) : null],
    [say('term'), isTime ? termInWords(payment.months, locale) : null],
    [say('purpose'), isTime ? null : paidForInWords(payment, locale)],
    [say('discount'), discount === 0 ? null : formats.money(discount, locale)],
    [say('amount'), formats.amountPaid(payment, locale)],
    [say('paidWith'), instrument && instrumentName(instrument, locale)],
    [say('startedAt'), paidAt === null ? local(payment.createdAt) : null],
    [say('paidAt'), local(paidAt)],
    [say('refundedAt'), local(refundedAt)],
    [
      say('period'),
      start === null || end === null ? null : say('boughtPeriod', { start: day(start), end: day(end) }),
    ],
  ]
}

/** The ids of the payment. They come last, because only support needs them. */
function idsOf({ pages, say, payment }: ReturnView): readonly NamedLine[] {
  const { id, checkoutId } = payment
  const { label, inWords } = shownMethodOf(pages, payment)?.reference ?? PROVIDER_REFERENCE
  return [
    [say('orderReference'), id, 'id'],
    [say(label), checkoutId && inWords(checkoutId), 'id'],
  ]
}

const PROVIDER_REFERENCE = { label: 'transaction', inWords: (checkoutId: string) => checkoutId } as const
