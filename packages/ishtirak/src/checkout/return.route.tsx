// The page after paying. It ignores what the redirect claims: it shows what is stored, after one lookup if
// nothing is settled. It shows nothing of the user, because its address is enough to read it.

import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isPayable, type PublicPaymentStatus, publicStatusAt } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { graceEndsAt } from '../core/subscription.js'
import { stretchesAt } from '../core/time-list.js'
import type { App } from '../http/app.js'
import { inParts, paidForInWords, termInWords } from '../i18n/formats.js'
import { instrumentName, planName, type Say, sayFor } from '../i18n/messages.js'
import { findUserLocale } from '../ledger/users.sql.js'
import { Card, LinkButton, type Pages, renderPage, Sign, type SignKind } from '../pages/portal-frame.js'
import { queryOf, type Session } from '../pages/reader.js'
import { wayToPayOf } from '../pages/way-to-pay.js'
import { Words } from '../pages/words.js'
import { BuyForm } from './buy-form.js'
import { differingSums } from './portal-open.js'
import { type ReturnedPayment, readReturnedPayment, wayBack } from './return.js'
import { stateOfReceiptMail } from './return.sql.js'
import type { StatusDeps } from './status.js'

type ReturnPages = Pages & StatusDeps

/** How often the page reloads itself: 4 times at 3 s after paying, then every 10 s, three minutes in all. */
const REFRESHES_MAX = 20
const QUICK_REFRESHES = 4

export function returnRoutes(app: App, pages: ReturnPages): void {
  app.get<{ Params: { payment_id: string } }>(
    '/portal/return/:payment_id',
    { schema: { hide: true } },
    async (request, reply) => {
      const { reader, database } = pages
      pages.limitAnonymous(request, reply)
      const returned = await readReturnedPayment(pages, request.params.payment_id, request.id)
      const { payment, now } = returned
      const session = await reader.session(request)
      const own = session?.userId === payment.userId ? session : null
      // The language of the payer's profile. The page uses nothing else of the payer.
      const locale = reader.language(request, reply, own, await findUserLocale(database, payment.userId))
      if (hasNoPage(pages, returned))
        return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
      const look = readRefreshes(queryOf(request, 'look'))
      const isWaiting = publicStatusAt(payment, now) === 'pending' && look < REFRESHES_MAX
      if (isWaiting) reply.header('refresh', refresh(look))
      const receiptMail = await readReceiptMail(pages, returned, own)
      return reply
        .headers(pages.headers)
        .send(returnPage(pages, { ...returned, session: own, locale, isWaiting, receiptMail }))
    },
  )
}

/** Null: the page says nothing, because there is no mail or the reader is not the payer. */
async function readReceiptMail(
  { database, mailsLinks }: ReturnPages,
  { payment }: ReturnedPayment,
  own: Session | null,
) {
  if (!mailsLinks || !own?.email || payment.status !== 'paid') return null
  return stateOfReceiptMail(database, { userId: payment.userId, paymentId: payment.id })
}

/** `n…@example.dz`: enough for its owner, who may not be alone at the screen. */
function masked(email: string): string {
  const [local = '', domain = ''] = email.split(/@(?=[^@]*$)/)
  return `${Array.from(local)[0] ?? ''}…@${domain}`
}

/** The method has no page to return from: the portal says where to send the money. */
function hasNoPage(pages: ReturnPages, { payment, now }: ReturnedPayment): boolean {
  const status = publicStatusAt(payment, now)
  const isUnpaid = status === 'pending' || status === 'expired' || status === 'canceled'
  return isUnpaid && wayToPayOf(pages, payment) !== undefined
}

/** A header field: browsers obey it without JavaScript, and the markup stays unchanged. */
function refresh(look: number): string {
  return `${look < QUICK_REFRESHES ? 3 : 10}; url=?look=${look + 1}`
}

function readRefreshes(text = ''): number {
  return /^\d{1,3}$/.test(text) ? Number(text) : 0
}

interface ReturnView extends ReturnedPayment {
  /** The payer's session; null for other readers. */
  readonly session: Session | null
  readonly locale: Locale
  /** The state of the mail with the receipt. */
  readonly receiptMail: 'sent' | 'owed' | null
  /** True if the page reloads itself. */
  readonly isWaiting: boolean
}

function returnPage(pages: ReturnPages, view: ReturnView): string {
  const { payment, now, session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const status = publicStatusAt(payment, now)
  const title = say(`return_${status}_title`)
  const other = view.alsoAwaits && wayToPayOf(pages, view.alsoAwaits)
  return renderPage(pages, {
    locale,
    title,
    // A paid order has that link as its main button.
    backUrl: status === 'paid' ? null : backFrom(pages, view),
    safeContent: (
      <div class="middle">
        <section class="card" role={status === 'pending' ? 'status' : undefined}>
          <Sign kind={SIGNS[status]} />
          <h1 safe>{title}</h1>
          <p class="bought">
            <b safe>
              {inParts([paidForInWords(payment, locale), pages.formats.came(payment, locale)], locale)}
            </b>
          </p>
          <p>
            <Words>{textOf(pages, view, status, say)}</Words>
          </p>
          {status === 'failed' ? (
            <p>
              <Words>{say('returnUnchanged')}</Words>
            </p>
          ) : null}
          {status === 'failed' ? <Satim say={say} /> : null}
          {view.receiptMail !== null && session?.email ? (
            <p safe>
              {say(view.receiptMail === 'sent' ? 'receiptSent' : 'receiptOwed', {
                address: masked(session.email),
              })}
            </p>
          ) : null}
          {status === 'paid' && other ? <p safe>{say(other.also)}</p> : null}
          <Actions pages={pages} view={view} status={status} say={say} />
        </section>
        <Card id="details" title={say('details')}>
          <dl class="facts">{factsOf(pages, view, say).map(Fact)}</dl>
          <dl class="facts ids">{idsOf(pages, view, say).map(Fact)}</dl>
        </Card>
      </div>
    ),
  })
}

const backFrom = (pages: ReturnPages, { payment, now, session }: ReturnView) =>
  wayBack(payment, now) ?? pages.backUrl(session)

const SIGNS: Readonly<Record<PublicPaymentStatus, SignKind>> = {
  paid: 'ok',
  pending: 'waiting',
  failed: 'bad',
  canceled: 'info',
  expired: 'late',
  review: 'review',
  refunded: 'back',
}

function textOf(
  { formats, rules }: ReturnPages,
  view: ReturnView,
  status: PublicPaymentStatus,
  say: Say,
): string {
  const { subscription, refundedAt, locale, isWaiting } = view
  if (status === 'pending' && !isWaiting) return say('returnStillPendingText')
  if (status === 'refunded' && refundedAt !== null)
    return say('returnRefundedOnText', { date: formats.day(refundedAt, locale) })
  const sums = status === 'review' && differingSums(formats, view.payment, locale)
  if (sums) return say('reviewAmounts', sums)
  if (status !== 'paid') return say(`return_${status}_text`)
  if (view.payment.kind === 'top_up') return say('returnTopUpText')
  // The effect of a payment depends on the subscription now. It bought time, so there is an end.
  const end = subscription.currentPeriodEnd ?? view.now
  const moment = (instant: Instant) => formats.moment(instant, locale)
  if (subscription.status === 'active') return boughtInWords({ formats }, view, say)
  const date = formats.day(end, locale)
  if (subscription.status === 'past_due')
    return say('returnPaidGraceText', {
      plan: planName(subscription.plan.name, locale),
      date,
      end: moment(graceEndsAt(end, subscription.periods, rules)),
    })
  return say(subscription.status === 'canceled' ? 'returnPaidStoppedText' : 'returnPaidOverText', { date })
}

/** What this payment bought, and when it runs: other plans may run before it, and other payments follow. */
function boughtInWords({ formats }: Pick<ReturnPages, 'formats'>, view: ReturnView, say: Say): string {
  const { payment, subscription, now, locale } = view
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

function Satim({ say }: { say: Say }) {
  return (
    <p class="notice warn">
      <span safe>{say('satim')}</span>{' '}
      <a href={`tel:${SATIM_NUMBER}`} dir="ltr">
        <b>{SATIM_NUMBER}</b>
      </a>
    </p>
  )
}

interface ActionsOf {
  readonly pages: ReturnPages
  readonly view: ReturnView
  readonly status: PublicPaymentStatus
  readonly say: Say
}

function Actions(of: ActionsOf) {
  const { pages, status, say } = of
  const { payment, now, session } = of.view
  const isOver = status === 'failed' || status === 'canceled' || status === 'expired'
  const mayPay = session === null || mayOrder(session)
  return (
    <div class="actions">
      {isOver && session && mayPay ? <TryAgain {...of} session={session} /> : null}
      {isOver && !session ? <LinkButton href={backFrom(pages, of.view)} label={say('tryAgain')} go /> : null}
      {status === 'pending' ? (
        <LinkButton href={`${pages.base}/portal/return/${payment.id}`} label={say('checkNow')} go />
      ) : null}
      {mayPay && isPayable(payment, now) && payment.checkoutUrl !== null ? (
        <LinkButton href={payment.checkoutUrl} label={say('notPaidYet')} />
      ) : null}
      {status === 'paid' ? (
        <LinkButton href={backFrom(pages, of.view)} label={say('backToSeller')} go />
      ) : null}
      {session && (status === 'paid' || status === 'refunded') ? (
        <LinkButton href={`${pages.base}/portal/receipts/${payment.id}`} label={say('receipt')} />
      ) : null}
      {session ? <LinkButton href={`${pages.base}/portal`} label={say('openPortal')} /> : null}
    </div>
  )
}

/** Buys again with one click. A purchase ahead or with a code is chosen again in the portal. */
function TryAgain({ pages, view, session, say }: ActionsOf & { readonly session: Session }) {
  const { kind, plan, months, codeHash } = view.payment
  const label = say('tryAgain')
  if (!view.mayRenew || codeHash !== null || kind !== 'purchase')
    return <LinkButton href={`${pages.base}/portal`} label={label} go />
  return <BuyForm base={pages.base} session={session} planId={plan.id} months={months} label={label} />
}

type FactRow = readonly [label: string, value: string, isCode?: boolean]

/** For support, so they come last. */
function idsOf(pages: ReturnPages, { payment }: ReturnView, say: Say): FactRow[] {
  const { label, inWords } = wayToPayOf(pages, payment)?.reference ?? AT_PROVIDER
  const { id, checkoutId } = payment
  const atProvider = checkoutId === null ? [] : [[say(label), inWords(checkoutId), true] as const]
  return [[say('orderReference'), id, true], ...atProvider]
}

const AT_PROVIDER = { label: 'transaction', inWords: (checkoutId: string) => checkoutId } as const

function factsOf(pages: ReturnPages, { payment, refundedAt, locale }: ReturnView, say: Say): FactRow[] {
  const { paidAt, createdAt, periodStart, periodEnd } = payment
  const { formats } = pages
  const local = (instant: Instant) => say('localTime', { moment: formats.moment(instant, locale) })
  const period = (start: Instant, end: Instant) =>
    say('boughtPeriod', { start: formats.day(start, locale), end: formats.day(end, locale) })
  return [
    ...(payment.kind === 'purchase'
      ? [
          [say('plan'), planName(payment.plan.name, locale)] as const,
          [say('term'), termInWords(payment.months, locale)] as const,
        ]
      : [[say('purpose'), paidForInWords(payment, locale)] as const]),
    ...(payment.discount === 0 ? [] : [[say('discount'), formats.money(payment.discount, locale)] as const]),
    [say('amount'), formats.came(payment, locale)],
    ...(payment.instrument === null
      ? []
      : [[say('paidWith'), instrumentName(payment.instrument, locale)] as const]),
    paidAt === null ? [say('startedAt'), local(createdAt)] : [say('paidAt'), local(paidAt)],
    ...(refundedAt === null ? [] : [[say('refundedAt'), local(refundedAt)] as const]),
    ...(periodStart === null || periodEnd === null
      ? []
      : [[say('period'), period(periodStart, periodEnd)] as const]),
  ]
}

function Fact([label, value, isCode]: FactRow) {
  return (
    <div>
      <dt safe>{label}</dt>
      <dd>
        {isCode ? (
          <code dir="ltr" safe>
            {value}
          </code>
        ) : (
          <bdi>
            <Words>{value}</Words>
          </bdi>
        )}
      </dd>
    </div>
  )
}
