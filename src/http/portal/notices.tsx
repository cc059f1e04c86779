// What has to be said before anything else: paid time that is over, a payment half way, one under review, too much in use.
// Each says what is, what it means, and what to do next.
import { sayIn } from '../../domain/messages.js'
import { graceEndsAt } from '../../domain/subscription.js'
import type { Section } from './section.js'

export function Notices(section: Section) {
  return (
    <>
      <PendingNotice {...section} />
      <ReviewNotice {...section} />
      <StatusNotice {...section} />
      <OverLimitNotice {...section} />
    </>
  )
}

function StatusNotice({ pages, view, say }: Section) {
  const { formats } = pages
  const { overview, locale } = view
  const { status, currentPeriodEnd } = overview.subscription
  if (currentPeriodEnd === null || status === 'active') return null
  const date = formats.day(currentPeriodEnd, locale)
  if (status === 'past_due') {
    const end = formats.moment(graceEndsAt(currentPeriodEnd, pages.terms), locale)
    return <Notice tone="warn" title={say('pastDueTitle', { date })} text={say('pastDueText', { end })} />
  }
  if (status === 'expired')
    return <Notice tone="warn" title={say('expiredTitle', { date })} text={say('expiredText')} />
  return <Notice tone="bad" title={say('canceledTitle', { date })} text={say('canceledText')} />
}

function PendingNotice({ pages, view, say }: Section) {
  const { overview, locale } = view
  const pending = overview.pendingPayment
  if (!pending || pending.checkoutUrl === null) return null
  const time = pages.formats.time(pending.expiresAt, locale)
  return (
    <Notice tone="" title={say('pendingTitle')} text={say('pendingText', { time })}>
      <p class="actions">
        <a class="button go" href={pending.checkoutUrl} safe>
          {say('goOnPaying')}
        </a>
        <a class="button" href={`${pages.base}/billing/return/${pending.id}`} safe>
          {say('checkAgain')}
        </a>
      </p>
    </Notice>
  )
}

function ReviewNotice({ view }: Section) {
  const say = sayIn(view.locale)
  const odd = view.history.payments.find((payment) => payment.status === 'review')
  return odd ? (
    <Notice tone="warn" title={say('reviewTitle')} text={say('reviewText', { id: odd.id })} />
  ) : null
}

function OverLimitNotice({ view, say }: Section) {
  if (view.overview.overLimits.length === 0) return null
  return <Notice tone="warn" title={say('overLimitTitle')} text={say('overLimitText')} />
}

function Notice(of: { tone: '' | 'warn' | 'bad'; title: string; text: string; children?: JSX.Element }) {
  return (
    <section class={`notice ${of.tone}`}>
      <h2 safe>{of.title}</h2>
      <p safe>{of.text}</p>
      {of.children}
    </section>
  )
}
