// The page after paying: paid, still being confirmed, failed, canceled, too late, under review, refunded. It says what the
// payment was and what it is worth now. It shows nothing of the user, since its address is enough to read it.
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isPayable, type PublicPaymentStatus, publicStatusAt } from '../core/payment.js'
import { graceEndsAt } from '../core/subscription.js'
import { type MessageKey, planName, type Say, sayFor } from '../i18n/messages.js'
import type { ReturnedPayment } from '../payments/history.js'
import { BuyForm, LinkButton, renderPage, Sign, type SignKind } from './frame.js'
import type { Pages } from './pages.js'
import type { Session } from './reader.js'

export interface ReturnView extends ReturnedPayment {
  /** Only the payer's own. */
  readonly session: Session | null
  readonly locale: Locale
  /** The page will look again by itself. */
  readonly isWaiting: boolean
}

export function returnPage(pages: Pages, view: ReturnView): string {
  const { payment, now, session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const status = publicStatusAt(payment, now)
  const { kind, title } = STATES[status]
  return renderPage(pages, {
    locale,
    title: say(title),
    // A paid order has that link as its main button.
    backUrl: status === 'paid' ? null : pages.backUrl(session),
    safeContent: (
      <div class="middle">
        <section class="card" role={status === 'pending' ? 'status' : undefined}>
          <Sign kind={kind} />
          <h1 safe>{say(title)}</h1>
          <p safe>{textOf(pages, view, status, say)}</p>
          {status === 'failed' ? <Satim say={say} /> : null}
          <Actions pages={pages} view={view} status={status} say={say} />
        </section>
        <section class="card" aria-labelledby="details">
          <h2 id="details" safe>
            {say('details')}
          </h2>
          <dl class="facts">{factsOf(pages, view, say).map(Fact)}</dl>
        </section>
      </div>
    ),
  })
}

const STATES: Readonly<Record<PublicPaymentStatus, { kind: SignKind; title: MessageKey; text: MessageKey }>> =
  {
    paid: { kind: 'ok', title: 'returnPaidTitle', text: 'returnPaidText' },
    pending: { kind: 'waiting', title: 'returnPendingTitle', text: 'returnPendingText' },
    failed: { kind: 'bad', title: 'returnFailedTitle', text: 'returnFailedText' },
    canceled: { kind: 'info', title: 'returnCanceledTitle', text: 'returnCanceledText' },
    expired: { kind: 'info', title: 'returnExpiredTitle', text: 'returnExpiredText' },
    review: { kind: 'info', title: 'returnReviewTitle', text: 'returnReviewText' },
    refunded: { kind: 'info', title: 'returnRefundedTitle', text: 'returnRefundedText' },
  }

function textOf(pages: Pages, view: ReturnView, status: PublicPaymentStatus, say: Say): string {
  const { formats } = pages
  const { payment, locale, isWaiting } = view
  if (status === 'pending' && !isWaiting) return say('returnStillPendingText')
  if (status === 'paid') return paidText(pages, view, say)
  const { refundedAt } = view
  if (status === 'refunded' && refundedAt !== null)
    return say('returnRefundedOnText', { date: formats.day(refundedAt, locale) })
  return say(STATES[status].text, { plan: planName(payment.plan.name, locale) })
}

/** The payment stays a fact; what it is worth depends on what became of the subscription since. */
function paidText({ formats, rules }: Pages, view: ReturnView, say: Say): string {
  const { subscription, locale } = view
  const { status, currentPeriodEnd } = subscription
  // A paid payment has bought time, so there is an end.
  const ended = currentPeriodEnd ?? view.now
  const date = formats.day(ended, locale)
  const plan = planName(subscription.plan.name, locale)
  if (status === 'active') return say('returnPaidText', { plan, end: formats.moment(ended, locale) })
  if (status === 'past_due')
    return say('returnPaidGraceText', { date, end: formats.moment(graceEndsAt(ended, rules), locale) })
  return say(status === 'canceled' ? 'returnPaidStoppedText' : 'returnPaidOverText', { date })
}

/**
 * SATIM's number for card holders (3021 is the merchants'). It asks merchants to print the message `satim` in these words
 * where a card payment fails (source: its rules for failure pages).
 */
const SATIM_NUMBER = '3020'

function Satim({ say }: { say: Say }) {
  return (
    <p class="satim">
      <span safe>{say('satim')}</span>{' '}
      <a href={`tel:${SATIM_NUMBER}`} dir="ltr">
        {SATIM_NUMBER}
      </a>
    </p>
  )
}

function Actions(of: { pages: Pages; view: ReturnView; status: PublicPaymentStatus; say: Say }) {
  const { pages, status, say } = of
  const { payment, now, session } = of.view
  const isOver = status === 'failed' || status === 'canceled' || status === 'expired'
  return (
    <div class="actions">
      {isOver && session ? (
        <BuyForm base={pages.base} session={session} planId={payment.plan.id} label={say('tryAgain')} />
      ) : null}
      {isOver && !session ? <LinkButton href={pages.backUrl(session)} label={say('tryAgain')} go /> : null}
      {status === 'pending' ? (
        <LinkButton href={`${pages.base}/billing/return/${payment.id}`} label={say('checkNow')} go />
      ) : null}
      {isPayable(payment, now) && payment.checkoutUrl !== null ? (
        <LinkButton href={payment.checkoutUrl} label={say('notPaidYet')} />
      ) : null}
      {status === 'paid' ? <LinkButton href={pages.backUrl(session)} label={say('backToSeller')} go /> : null}
      {session && (status === 'paid' || status === 'refunded') ? (
        <LinkButton href={`${pages.base}/portal/receipts/${payment.id}`} label={say('receipt')} />
      ) : null}
      {session ? <LinkButton href={`${pages.base}/portal`} label={say('openPortal')} /> : null}
    </div>
  )
}

type FactRow = readonly [label: string, value: string, isCode?: boolean]

function factsOf({ formats }: Pages, { payment, refundedAt, locale }: ReturnView, say: Say): FactRow[] {
  const { paidAt, createdAt, periodStart, periodEnd, checkoutId } = payment
  const local = (instant: Instant) => say('localTime', { moment: formats.moment(instant, locale) })
  const period = (start: Instant, end: Instant) =>
    say('boughtPeriod', { start: formats.day(start, locale), end: formats.day(end, locale) })
  return [
    [say('orderReference'), payment.id, true],
    ...(checkoutId === null ? [] : [[say('transaction'), checkoutId, true] as const]),
    [say('amount'), formats.money(payment.price.amount, locale)],
    ...(payment.instrument === null ? [] : [[say('card'), cardName(payment.instrument, locale)] as const]),
    paidAt === null ? [say('startedAt'), local(createdAt)] : [say('paidAt'), local(paidAt)],
    ...(refundedAt === null ? [] : [[say('refundedAt'), local(refundedAt)] as const]),
    ...(periodStart === null || periodEnd === null
      ? []
      : [[say('period'), period(periodStart, periodEnd)] as const]),
  ]
}

/** A word of the provider that is not known yet stands as it is: it is a fact about money. */
function cardName(method: string, locale: Locale): string {
  if (method === 'edahabia') return locale === 'ar' ? 'الذهبية EDAHABIA' : 'EDAHABIA'
  return method.toUpperCase()
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
          <bdi safe>{value}</bdi>
        )}
      </dd>
    </div>
  )
}
