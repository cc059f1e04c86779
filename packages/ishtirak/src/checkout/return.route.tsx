// The page after paying. It ignores what the redirect claims: it shows what is stored, after one lookup if
// nothing is settled. It shows nothing of the user, because its address is enough to read it.

import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isPayable, type PublicPaymentStatus } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { stretchesAt } from '../core/time-list.js'
import type { App } from '../http/app.js'
import { inParts, paidForInWords, termInWords } from '../i18n/formats.js'
import { instrumentName, planName, type Say, sayFor } from '../i18n/messages.js'
import { OwnForm } from '../pages/own-form.js'
import {
  Card,
  LinkButton,
  type Pages,
  renderPage,
  Sign,
  type SignKind,
  SubmitButton,
} from '../pages/portal-frame.js'
import { queryOf, type Session } from '../pages/reader.js'
import { shownMethodOf } from '../pages/shown-method.js'
import { Words } from '../pages/words.js'
import { BY_CARD } from './portal-choice.js'
import { differingSums } from './portal-open.js'
import { type ReturnedPayment, readReturnedPayment, wayBack } from './return.js'
import type { StatusDeps } from './status.js'

type ReturnPages = Pages & StatusDeps

/** How often the page reloads itself: 4 times at 3 s after paying, then every 10 s, three minutes in all. */
const REFRESHES_MAX = 20
const QUICK_REFRESHES = 4

export function returnRoutes(app: App, pages: ReturnPages): void {
  const hidden = { schema: { hide: true } }
  app.get<{ Params: { payment_id: string } }>(
    '/portal/return/:payment_id',
    hidden,
    async (request, reply) => {
      pages.limitAnonymous(request, reply)
      const returned = await readReturnedPayment(pages, request.params.payment_id, request.id)
      const { payment, status } = returned
      const reader = await pages.reader.session(request)
      const session = reader?.userId === payment.userId ? reader : null
      const locale = pages.reader.language(request, reply, session, returned.payerLocale)
      if (hasNoPage(pages, returned))
        return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
      const look = Number(/^\d{1,3}$/.exec(queryOf(request, 'look') ?? '') ?? 0)
      const isWaiting = status === 'pending' && look < REFRESHES_MAX
      // A header field: browsers obey it without JavaScript, and the markup stays unchanged.
      if (isWaiting) reply.header('refresh', `${look < QUICK_REFRESHES ? 3 : 10}; url=?look=${look + 1}`)
      return reply.headers(pages.headers).send(returnPage(pages, { ...returned, session, locale, isWaiting }))
    },
  )
}

/** The method has no page to return from: the portal says where to send the money. */
function hasNoPage(pages: ReturnPages, { payment, status }: ReturnedPayment): boolean {
  const isUnpaid = status === 'pending' || status === 'expired' || status === 'canceled'
  return isUnpaid && shownMethodOf(pages, payment) !== undefined
}

interface ReturnView extends ReturnedPayment {
  /** The payer's session; null for other readers. */
  readonly session: Session | null
  readonly locale: Locale
  /** True if the page reloads itself. */
  readonly isWaiting: boolean
}

function returnPage(pages: ReturnPages, view: ReturnView): string {
  const { payment, status, session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const title = say(`return_${status}_title`)
  const other = view.alsoAwaits && shownMethodOf(pages, view.alsoAwaits)
  // Payers alone are told their address.
  const mailedTo = status === 'paid' && pages.mailsLinks ? (session?.email ?? null) : null
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
            <Words>{textOf(pages, view, say)}</Words>
          </p>
          {status === 'failed' ? (
            <>
              <p>
                <Words>{say('returnUnchanged')}</Words>
              </p>
              <Satim say={say} />
            </>
          ) : null}
          {mailedTo === null ? null : <p safe>{say('receiptMailed', { address: masked(mailedTo) })}</p>}
          {status === 'paid' && other ? <p safe>{say(other.also)}</p> : null}
          <Actions pages={pages} view={view} say={say} />
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

function textOf({ formats }: ReturnPages, view: ReturnView, say: Say): string {
  const { payment, status, refundedAt, locale, isWaiting } = view
  if (status === 'pending' && !isWaiting) return say('returnStillPendingText')
  if (refundedAt !== null) return say('returnRefundedOnText', { date: formats.day(refundedAt, locale) })
  const sums = status === 'review' && differingSums(formats, payment, locale)
  if (sums) return say('reviewAmounts', sums)
  if (status !== 'paid') return say(`return_${status}_text`)
  if (payment.kind === 'top_up') return say('returnTopUpText')
  return boughtInWords(formats, view, say)
}

/** What the payment bought, and whether that runs now, later, or no more. */
function boughtInWords(formats: ReturnPages['formats'], view: ReturnView, say: Say): string {
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
  readonly say: Say
}

function Actions(of: ActionsOf) {
  const { pages, say } = of
  const { payment, status, now, session } = of.view
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
  return (
    <OwnForm session={session} action={`${pages.base}${BY_CARD.path}`}>
      <input type="hidden" name="plan" value={plan.id} />
      <input type="hidden" name="months" value={String(months)} />
      <SubmitButton label={label} />
    </OwnForm>
  )
}

/** A fact whose value is null is left out. */
type FactRow = readonly [label: string, value: string | null, isCode?: boolean]

/** For support, so they come last. */
function idsOf(pages: ReturnPages, { payment }: ReturnView, say: Say): FactRow[] {
  const { id, checkoutId } = payment
  const reference = shownMethodOf(pages, payment)?.reference
  return [
    [say('orderReference'), id, true],
    [
      say(reference?.label ?? 'transaction'),
      checkoutId && (reference?.inWords(checkoutId) ?? checkoutId),
      true,
    ],
  ]
}

function factsOf(pages: ReturnPages, { payment, refundedAt, locale }: ReturnView, say: Say): FactRow[] {
  const { paidAt, periodStart: start, periodEnd: end, instrument, discount } = payment
  const { formats } = pages
  const local = (instant: Instant | null) =>
    instant === null ? null : say('localTime', { moment: formats.moment(instant, locale) })
  const day = (instant: Instant) => formats.day(instant, locale)
  const isTime = payment.kind === 'purchase'
  return [
    [say('plan'), isTime ? planName(payment.plan.name, locale) : null],
    [say('term'), isTime ? termInWords(payment.months, locale) : null],
    [say('purpose'), isTime ? null : paidForInWords(payment, locale)],
    [say('discount'), discount === 0 ? null : formats.money(discount, locale)],
    [say('amount'), formats.came(payment, locale)],
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

function Fact([label, value, isCode]: FactRow) {
  if (value === null) return null
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
