// The notices on top of the portal's page: what is open or under review, and limits that are exceeded.
import { ChooseElse, Ordered } from '../checkout/portal-open.js'
import { type LimitDefinition, maximumOf, usesOf } from '../core/limit.js'
import { scopeInWords, usageInWords } from '../limits/portal-usage.js'
import { hrefIn } from '../pages/own-form.js'
import { LinkButton, Notice } from '../pages/portal-frame.js'
import { checkedIn, differingSums, type Section } from './portal-view.js'

export function PendingNotice(section: Section) {
  const { pages, view, say } = section
  const { overview, locale } = view
  const pending = overview.pendingPayment
  if (!pending || pending.checkoutUrl === null) return null
  const time = pages.formats.time(pending.expiresAt, locale)
  const isChecked = checkedIn(view).length > 0
  return (
    <Notice tone="" title={say('pendingTitle')} text={say('pendingText', { time })}>
      <Ordered {...section} payment={pending} />
      <p class="actions">
        {isChecked ? null : (
          <LinkButton href={hrefIn(view.session, pending.checkoutUrl)} label={say('goOnPaying')} go />
        )}
        <LinkButton
          href={hrefIn(view.session, `${pages.base}/billing/return/${pending.id}`)}
          label={say('checkAgain')}
        />
      </p>
      {isChecked ? null : <ChooseElse {...section} />}
    </Notice>
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
