// Notices at the top of a page: an open payment, one under review, usage above the plan's limits. Each states the fact,
// what it means, and what to do next.
import { LinkButton } from './frame.js'
import { type Section, usageInWords } from './section.js'

export function Notices(section: Section) {
  return (
    <>
      <PendingNotice {...section} />
      <ReviewNotice {...section} />
    </>
  )
}

function PendingNotice({ pages, view, say }: Section) {
  const { overview, locale } = view
  const pending = overview.pendingPayment
  if (!pending || pending.checkoutUrl === null) return null
  const time = pages.formats.time(pending.expiresAt, locale)
  return (
    <Notice tone="" title={say('pendingTitle')} text={say('pendingText', { time })}>
      <p class="actions">
        <LinkButton href={pending.checkoutUrl} label={say('goOnPaying')} go />
        <LinkButton href={`${pages.base}/billing/return/${pending.id}`} label={say('checkAgain')} />
      </p>
    </Notice>
  )
}

function ReviewNotice({ view, say }: Section) {
  const odd = view.history.payments.find((payment) => payment.status === 'review')
  if (!odd) return null
  return (
    <Notice tone="warn" title={say('reviewTitle')} text={say('reviewText')}>
      <p class="small">
        <span safe>{say('orderReference')}</span>{' '}
        <code dir="ltr" safe>
          {odd.id}
        </code>
      </p>
    </Notice>
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
          const limit = say(over.limit)
          const words = usageInWords(section, over)
          const { projectId: project } = over
          return (
            <li safe>
              {project === null
                ? say('overLimitLine', { limit, ...words })
                : say('overLimitLineOfProject', { limit, project, ...words })}
            </li>
          )
        })}
      </ul>
    </Notice>
  )
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
