// The card with a user's plan: until when it runs, the start from which its months are counted, and the list
// of all time with the payments, grants and codes that it came from.
import { DAY, toTimestamp } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { endsWithTrial, graceEndsAt } from '../core/subscription.js'
import { stretchesAt, type TimeEntry } from '../core/time-list.js'
import { inParts, termInWords } from '../i18n/formats.js'
import { CATALOGS, instrumentName, planName } from '../i18n/messages.js'
import type { AllPages } from '../overview/all-pages.js'
import type { UserFile } from '../overview/read-files.js'
import { addressOf, type View } from '../pages/console-frame.js'
import { Hint, Table, Text } from '../pages/console-parts.js'
import { codeInWords } from '../pages/console-words.js'
import { Card } from '../pages/parts.js'

/** A longer list is folded. */
const SHOWN_MAX = 1

interface PlanOf {
  readonly pages: AllPages
  readonly view: View
  readonly file: UserFile
}

export function PlanCard(of: PlanOf) {
  const { pages, view, file } = of
  const { say } = view
  const rows = file.time
  return (
    <Card id="plan" title={say('planTitle')}>
      <p safe>{inWords(of)}</p>
      <EndedBy {...of} />
      <Run {...of} />
      {rows.length === 0 ? null : (
        <details open={rows.length <= SHOWN_MAX}>
          <summary>
            <h3 safe>{say('timeTitle')}</h3>
          </summary>
          <Table
            {...{ pages, view, rows }}
            columns={[
              { head: 'what', safe: (time) => <Piece {...of} time={time} /> },
              { head: 'starts', text: ({ start }) => view.moment(start) },
              { head: 'ends', text: ({ end }) => view.moment(end) },
            ]}
          />
        </details>
      )}
    </Card>
  )
}

function inWords(of: PlanOf): string {
  const { pages, view, file } = of
  const { say, locale } = view
  const { plan, status, currentPeriodEnd, endedPlan, periods } = file.subscription
  const name = planName(plan.name, locale)
  if (currentPeriodEnd === null) {
    const isMoneyLookedAt = file.waiting.some(({ kind }) => kind.isMoney)
    return say(isMoneyLookedAt ? 'planNotBooked' : 'planNeverPaid', { plan: name })
  }
  const end = view.moment(currentPeriodEnd)
  if (status === 'canceled') return say('planCanceled', { plan: name, end })
  const grace = view.moment(graceEndsAt(currentPeriodEnd, periods, pages.rules))
  if (status === 'past_due') return say('planPastDue', { plan: name, end, grace })
  if (status === 'expired')
    return say('planExpired', { plan: name, ended: planName((endedPlan ?? plan).name, locale), end, grace })
  return activeInWords(of, name)
}

/** The plan in effect, and those that follow it. */
function activeInWords(of: PlanOf, name: string): string {
  const { pages, view, file } = of
  const { say, locale } = view
  const at = pages.clock.now()
  const sentences = stretchesAt(file.subscription, at).map(({ plan, start, end }, index) =>
    index === 0
      ? say('planActive', {
          plan: name,
          end: view.moment(end),
          left: pages.formats.timeLeft(end - at, locale),
        })
      : say('planThen', {
          plan: planName(plan.name, locale),
          start: view.moment(start),
          end: view.moment(end),
        }),
  )
  return sentences.join(' ')
}

/** Names the act that ended the plan: it has the same instant as the end. */
function EndedBy({ view, file }: PlanOf) {
  const { endedAt } = file.user.subscription
  const at = endedAt === null ? null : toTimestamp(endedAt)
  const act = file.audit.find((one) => one.at === at && ENDING.includes(one.act))
  if (!act) return null
  const done = view.say('doneText', { act: codeInWords(view, 'did', act.act), name: act.actor })
  return (
    <p>
      <span safe>{done}</span> <Text>{act.why ?? ''}</Text>
    </p>
  )
}

const ENDING = ['user.end', 'payment.refund']

/** A span has the direction of the page, also if a name in Latin letters comes first. */
function Piece(of: PlanOf & { readonly time: TimeEntry }) {
  const { pages, view, time } = of
  if (time.by === 'gap') return <span safe>{view.say('time_gap')}</span>
  if (time.by !== 'paid') return <span safe>{whatItGives(of, time)}</span>
  return (
    <a href={addressOf(pages.base, 'payments', time.id)}>
      <span safe>{whatItGives(of, time)}</span>
    </a>
  )
}

/** `Pro · 1 month · paid · 2 000 DA · EDAHABIA`, `Pro · 14 days · granted by amina: ticket 4711`. */
function whatItGives({ pages, view, file }: PlanOf, time: Exclude<TimeEntry, { by: 'gap' }>): string {
  const { say, locale } = view
  const { plan, months, days } = time
  const payment = file.payments.find(({ id }) => id === time.id)
  const origins = pages.fileParts.user.map(
    (part) => part.originInWords?.(view, file.parts[part.key], time) ?? null,
  )
  const originInWords =
    origins.find((words) => words !== null) ?? say(time.isRefunded ? 'time_refunded' : `time_${time.by}`)
  const parts = [
    planName(plan.name, locale),
    lengthInWords(pages, months, days, locale),
    originInWords,
    payment && pages.formats.amountPaid(payment, locale),
    payment?.instrument && instrumentName(payment.instrument, locale),
  ]
  return inParts(
    parts.filter((part) => typeof part === 'string'),
    locale,
  )
}

/** The length of the time. A plan change has none, and is named as such. */
function lengthInWords({ formats }: AllPages, months: number, days: number, locale: Locale): string {
  if (days > 0) return formats.timeLeft(days * DAY, locale)
  return months > 0 ? termInWords(months, locale) : CATALOGS[locale].page.planChange
}

/** Says from which instant the ends of months are counted. */
function Run(of: PlanOf) {
  const { run, periods } = of.file.user.subscription
  if (run === null) return null
  const { say, locale } = of.view
  const anchor = of.view.moment(run.anchorAt)
  return (
    <Hint>
      {run.months === 0
        ? say(endsWithTrial(periods) ? 'runOfTrial' : 'runOfDays', { anchor })
        : say('runOfMonths', { anchor, term: termInWords(run.months, locale) })}
    </Hint>
  )
}
