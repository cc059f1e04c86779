// All time that a user has, in order, with what gave it.

import type { Instant } from '../core/instant.js'
import type { TimeEntry } from '../core/time-list.js'
import { planName } from '../i18n/messages.js'
import { Card, Inline } from '../pages/parts.js'
import type { PartSection } from '../pages/portal-kinds.js'

/** All time in order. Time that is over is folded, except the last piece if nothing follows it. */
export function TimeList(section: PartSection) {
  const { view, say } = section
  const { timeList } = view
  if (timeList.length === 0) return null
  const begun = timeList.findIndex(({ end }) => end > view.overview.now)
  const first = begun === -1 ? timeList.length - 1 : begun
  const [over, current] = [timeList.slice(0, first), timeList.slice(first)]
  return (
    <Card id="time" title={say('timeTitle')}>
      {over.length === 0 ? null : (
        <details>
          <summary safe>{say('earlierTime')}</summary>
          <TimeLines {...section} timeList={over} />
        </details>
      )}
      <TimeLines {...section} timeList={current} />
    </Card>
  )
}

function TimeLines({ timeList, ...section }: PartSection & { readonly timeList: readonly TimeEntry[] }) {
  return (
    <ul class="payments time">
      {timeList.map((time) => (
        <TimeLine {...section} time={time} />
      ))}
    </ul>
  )
}

function TimeLine({ time, ...section }: PartSection & { readonly time: TimeEntry }) {
  const { pages, view, say } = section
  const { now } = view.overview
  const day = (instant: Instant) => pages.formats.day(instant, view.locale)
  const isGap = time.by === 'gap'
  const when = now < time.start ? 'time_next' : now < time.end ? 'time_now' : null
  return (
    <li>
      <Inline class="date">{isGap ? say('noPlan') : planName(time.plan.name, view.locale)}</Inline>
      <span class="end">
        {when === null ? null : <Inline class="badge">{say(when)}</Inline>}{' '}
        <Inline class="badge none">
          {say(!isGap && time.isRefunded ? 'payment_refunded' : `time_${time.by}`)}
        </Inline>
      </span>
      <Inline class="bought soft small">
        {say('boughtPeriod', { start: day(time.start), end: day(time.end) })}
      </Inline>
      {isGap ? null : view.parts.map((part) => part.document?.(section, time) ?? null)}
    </li>
  )
}
