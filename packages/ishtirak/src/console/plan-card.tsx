// What a user's plan is now, and why: until when, by which payments, grants and codes, and from when on months are counted.
import { DAY, toTimestamp } from '../core/instant.js'
import { graceEndsAt, type PaidPeriod } from '../core/subscription.js'
import { termInWords } from '../i18n/formats.js'
import { instrumentName, planName } from '../i18n/messages.js'
import type { UserFile } from '../operator/acts.js'
import { Card } from '../portal/frame.js'
import { codeInWords } from './codes.js'
import { addressOf, type ConsolePages, Table, Text, type View } from './frame.js'

interface PlanOf {
  readonly pages: ConsolePages
  readonly view: View
  readonly file: UserFile
}

export function PlanCard(of: PlanOf) {
  const { view, file } = of
  const { say } = view
  const rows = file.user.subscription.periods.map((period) => ({
    safeCells: [
      <Source {...of} period={period} />,
      // In the direction of the page, also where a name in Latin letters comes first.
      <span safe>{whatItGives(of, period)}</span>,
      <Text>{moment(of, period.start)}</Text>,
      <Text>{moment(of, period.end)}</Text>,
    ],
  }))
  return (
    <Card id="plan" title={say('planTitle')}>
      <p safe>{inWords(of)}</p>
      <EndedBy {...of} />
      {rows.length === 0 ? null : (
        <Table columns={[say('timeFrom'), say('what'), say('starts'), say('ends')]} safeRows={rows} />
      )}
      <Run {...of} />
    </Card>
  )
}

function moment({ pages, view }: PlanOf, instant: number): string {
  return pages.formats.moment(instant, view.locale)
}

function inWords(of: PlanOf): string {
  const { pages, view, file } = of
  const { say, locale } = view
  const { plan, status, currentPeriodEnd } = file.subscription
  const name = planName(plan.name, locale)
  if (currentPeriodEnd === null) return say('planNeverPaid', { plan: name })
  const end = moment(of, currentPeriodEnd)
  if (status === 'canceled') return say('planCanceled', { plan: name, end })
  const grace = moment(of, graceEndsAt(currentPeriodEnd, pages.rules))
  if (status === 'past_due') return say('planPastDue', { plan: name, end, grace })
  if (status === 'expired') return say('planExpired', { plan: name, end, grace })
  const left = pages.formats.timeLeft(currentPeriodEnd - pages.clock.now(), locale)
  return say('planActive', { plan: name, end, left })
}

/** Which act ended it: it is as old as the end. */
function EndedBy({ view, file }: PlanOf) {
  const { endedAt } = file.user.subscription
  const at = endedAt === null ? null : toTimestamp(endedAt)
  const act = file.audit.find((one) => one.at === at && ENDING.includes(one.act))
  if (!act) return null
  return (
    <p>
      <span safe>{view.say('doneText', { act: codeInWords(view, 'did', act.act), name: act.actor })}</span>{' '}
      <Text>{act.why ?? ''}</Text>
    </p>
  )
}

const ENDING = ['user.end', 'payment.refund']

type OfPeriod = PlanOf & { readonly period: PaidPeriod }

function Source({ pages, file, period: { sourceId } }: OfPeriod) {
  if (!file.payments.some(({ id }) => id === sourceId)) return <code safe>{sourceId}</code>
  return (
    <a href={addressOf(pages.base, 'payments', sourceId)} safe>
      {sourceId}
    </a>
  )
}

/** `Pro · 1 month · 2 000 DA · EDAHABIA`, `Pro · 14 days, granted by amina: ticket 4711`. */
function whatItGives({ pages, view, file }: PlanOf, { sourceId, plan, months, granted }: PaidPeriod): string {
  const { say, locale } = view
  const payment = file.payments.find(({ id }) => id === sourceId)
  const grant = file.grants.find(({ id }) => id === sourceId)
  const length = granted
    ? pages.formats.timeLeft(granted.days * DAY, locale)
    : `${termInWords(months, locale)}${grant ? ` · ${say('byCode')}` : ''}`
  return [
    planName(plan.name, locale),
    length,
    payment && pages.formats.money(payment.price.amount, locale),
    payment?.instrument && instrumentName(payment.instrument, locale),
    grant?.by && say('grantedBy', { name: grant.by, why: grant.why ?? '' }),
  ]
    .filter((part) => typeof part === 'string')
    .join(' · ')
}

/** From which instant the ends of months are counted. */
function Run(of: PlanOf) {
  const { run } = of.file.user.subscription
  if (run === null) return null
  const { say, locale } = of.view
  const anchor = moment(of, run.anchorAt)
  return (
    <p class="soft small" safe>
      {run.months === 0
        ? say('runOfDays', { anchor })
        : say('runOfMonths', { anchor, term: termInWords(run.months, locale) })}
    </p>
  )
}
