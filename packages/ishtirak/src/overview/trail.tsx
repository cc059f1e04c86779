// The card of the audit trail, and the notice above it that says what became of the last act.

import type { FastifyRequest } from 'fastify'
import { UNKNOWN } from '../acts/refusals.js'
import { isErrorCode } from '../core/error.js'
import { CATALOGS } from '../i18n/messages.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { type Column, Folded, type LinkedFact, Table } from '../pages/console-parts.js'
import { codeInWords, obstaclesInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/parts.js'
import { queryOf } from '../pages/reader.js'
import type { PaymentFile } from './read-files.js'

export type TrailEntry = PaymentFile['audit'][number]

export const REFUSED = 'operator.refused'

export type TrailNotice = ReturnType<typeof noticeIn>

/** What became of the last act: the pages of acts write these members into the address. */
export function noticeIn(request: FastifyRequest) {
  const done = queryOf(request, 'done') ?? queryOf(request, 'shown')
  const refused = queryOf(request, 'refused')
  return {
    /** The ids of the act that was just done, and of the refusal of what was just tried. */
    ...{ done, refused },
    /** An act was just done or refused, so its entry is in the trail. */
    isOfAct: done !== undefined || refused !== undefined,
    /** Nothing was done, because the facts had changed. */
    isChanged: queryOf(request, 'changed') !== undefined,
  }
}

/** An operator who reads "done" believes that the money is booked. If it is not, the page says why. */
export const BOOKING: readonly string[] = ['payment.approve', 'payment.accept']

export function NoticeOf(of: {
  readonly view: View
  readonly acts: readonly TrailEntry[]
  readonly notice: TrailNotice
  /** The state after this act, such as why an act that books money has booked none; null: no more is said. */
  readonly state?: (act: TrailEntry) => string | null
  readonly next?: LinkedFact | null
}) {
  const { view, acts, notice, state, next = null } = of
  const act = acts.find((one) => one.id === (one.act === REFUSED ? notice.refused : notice.done))
  if (!act && !notice.isChanged) return null
  const stateInWords = (act && state?.(act)) ?? null
  const { title, text, isWarning = false } = saidOf(view, act, stateInWords !== null)
  return (
    <section class={isWarning ? 'notice warn' : 'notice'} role="status">
      <h2 safe>{view.say(title)}</h2>
      {[text, stateInWords].map((one) => (one === null ? null : <p safe>{one}</p>))}
      <p class="actions">
        {next && <LinkButton href={next.href} label={next.text} go />}
        {act && <LinkButton href={`#${act.id}`} label={view.say('toTrail')} />}
      </p>
    </section>
  )
}

/** No act: nothing was done, because the facts had changed. */
function saidOf(view: View, act: TrailEntry | undefined, hasState: boolean) {
  if (!act) return { title: 'changedTitle', text: view.say('changedText'), isWarning: true } as const
  if (act.act === REFUSED)
    return { title: 'refusedTitle', text: refusalOf(view, act), isWarning: true } as const
  const text = view.say('doneText', { act: didInWords(view, act), name: act.actor })
  if (hasState && BOOKING.includes(act.act))
    return { title: 'notBookedTitle', text, isWarning: true } as const
  return { title: 'doneTitle', text } as const
}

/** The first of two approvals has its own words, because it books nothing. */
function didInWords(view: View, { act, after }: TrailEntry): string {
  const isFirst = act === 'payment.approve' && Object(after).state !== 'approved'
  return isFirst ? view.say('approvedFirst') : codeInWords(view, 'did', act)
}

/** Which act was refused, and why; empty for other acts. */
function refusalOf(view: View, { after }: TrailEntry): string {
  if (typeof after !== 'object' || after === null) return ''
  const { code, act = null, ...more } = after as { readonly code?: unknown; readonly act?: unknown }
  if (typeof code !== 'string' || !isErrorCode(code)) return ''
  const title = obstaclesInWords(view, more) || CATALOGS[view.locale].error[code].title
  return typeof act !== 'string'
    ? title
    : view.say('entryOf', { entry: title, what: codeInWords(view, 'act', act) })
}

export function Trail(of: { pages: ConsolePages; view: View; acts: readonly TrailEntry[]; isOpen: boolean }) {
  const { pages, view, acts, isOpen } = of
  const { say } = view
  // Open after an act, because the notice links to the entry.
  return (
    <Folded id="trail" title={say('trail')} isOpen={isOpen || acts.length === 0}>
      <Table
        {...{ pages, view }}
        rows={acts}
        columns={TRAIL_COLUMNS}
        idOf={({ id }) => id}
        empty={say('trailEmpty')}
      />
    </Folded>
  )
}

export const TRAIL_COLUMNS = [
  { head: 'when', text: ({ at }, { moment }) => moment(at) },
  { head: 'who', text: ({ actor }, { say }) => (actor === UNKNOWN ? say('unknownCaller') : actor) },
  { head: 'act', text: (entry, view) => didInWords(view, entry) },
  {
    head: 'why',
    text: (entry, view) =>
      [refusalOf(view, entry), entry.why ?? ''].filter((text) => text !== '').join(' · '),
  },
] as const satisfies readonly Column<TrailEntry>[]
