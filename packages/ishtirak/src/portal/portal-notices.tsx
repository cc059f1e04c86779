// The notices on top of the portal's page: what is open or under review, and limits that are exceeded.
import { type LimitDefinition, maximumOf, usesOf } from '../core/limit.js'
import type { ShownPayment } from '../core/payment.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import { scopeInWords, usageInWords } from '../limits/portal-usage.js'
import { hrefIn } from '../pages/own-form.js'
import { LinkButton } from '../pages/portal-frame.js'
import { Words } from '../pages/words.js'
import { differingSums, type Section } from './portal-view.js'

export function PendingNotice(section: Section) {
  const { pages, view, say } = section
  const { overview, locale } = view
  const pending = overview.pendingPayment
  if (!pending || pending.checkoutUrl === null) return null
  const time = pages.formats.time(pending.expiresAt, locale)
  return (
    <Notice tone="" title={say('pendingTitle')} text={say('pendingText', { time })}>
      <>
        <Ordered {...section} payment={pending} />
        <p class="actions">
          {view.slips.size > 0 ? null : (
            <LinkButton href={hrefIn(view.session, pending.checkoutUrl)} label={say('goOnPaying')} go />
          )}
          <LinkButton
            href={hrefIn(view.session, `${pages.base}/billing/return/${pending.id}`)}
            label={say('checkAgain')}
          />
        </p>
        {view.slips.size > 0 ? null : <ChooseElse {...section} />}
      </>
    </Notice>
  )
}

/** What is open: its plan, its term and what it costs. */
export function Ordered({ pages, view, payment }: Section & { readonly payment: OpenPayment }) {
  const { plan, months, price } = payment
  const parts = [planAndTerm(plan, months, view.locale), pages.formats.money(price.amount, view.locale)]
  return (
    <p>
      <b safe>{inParts(parts, view.locale)}</b>
    </p>
  )
}

type OpenPayment = Pick<ShownPayment, 'plan' | 'months' | 'price'>

/** Back to the choice. What is open stays as it is until something else is chosen. */
export function ChooseElse({ pages, view, say }: Section) {
  if (view.isChoosing) {
    return (
      <p class="small" safe>
        {say('chooseElseText')}
      </p>
    )
  }
  return (
    <p class="actions">
      <LinkButton
        href={hrefIn(view.session, `${pages.base}/portal?choose=else#your-plan`)}
        label={say('chooseElse')}
      />
    </p>
  )
}

export function ReviewNotice({ pages, view, say }: Section) {
  const odd = view.reviewed
  if (!odd) return null
  const sums = differingSums(pages.formats, odd, view.locale)
  return (
    <Notice
      tone="warn"
      title={say('reviewTitle')}
      text={sums ? say('reviewAmounts', sums) : say('reviewText')}
    >
      <p class="small">
        <span safe>{say('orderReference')}</span>{' '}
        <code dir="ltr" safe>
          {odd.id}
        </code>
      </p>
    </Notice>
  )
}

/** What is used up to the last one, such as 2 of 2 projects. */
export function FullLimits(section: Section) {
  const { view, say } = section
  const { limits, usage, subscription } = view.overview
  return (
    <>
      {limits.flatMap((limit) => {
        const max = maximumOf(subscription.plan.limits, limit)
        const full = usesOf(usage, limit).filter(({ used }) => used === max && max > 0)
        return full.map(({ used, scopeId }) => (
          <p class="full" safe>
            {say('fullLine', {
              limit: placeInWords(section, limit, scopeId),
              ...usageInWords(section, { limit, used, max }),
            })}
          </p>
        ))
      })}
    </>
  )
}

/** Each limit that is exceeded, by how much, and what to do. */
export function OverLimitNotice(section: Section) {
  const { view, say } = section
  const { overLimits } = view.overview
  if (overLimits.length === 0) return null
  return (
    <Notice tone="warn" title={say('overLimitTitle')} text={say('overLimitText')}>
      <ul class="marked">
        {overLimits.map((over) => {
          const place = placeInWords(section, over.limit, over.scopeId)
          return <li safe>{say('overLimitLine', { limit: place, ...usageInWords(section, over) })}</li>
        })}
      </ul>
    </Notice>
  )
}

/** `Projects`, `Domains per project (in project shop)`. */
function placeInWords(section: Section, limit: LimitDefinition, scopeId: string | null): string {
  const name = limit.words[section.view.locale]
  return scopeId === null ? name : `${name} (${scopeInWords(section, limit, scopeId)})`
}

export function Notice(of: { tone: '' | 'warn'; title: string; text: string; children?: JSX.Element }) {
  return (
    <section class={`notice ${of.tone}`}>
      <h2 safe>{of.title}</h2>
      <p>
        <Words>{of.text}</Words>
      </p>
      {of.children ?? null}
    </section>
  )
}
