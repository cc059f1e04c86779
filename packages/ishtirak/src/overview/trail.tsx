// The card of the audit trail, and the notice above it that says what became of the last act.

import type { FastifyRequest } from 'fastify'
import { UNKNOWN } from '../acts/refusals.js'
import { isErrorCode } from '../core/error.js'
import type { ConsoleKey } from '../i18n/console.js'
import { CATALOGS } from '../i18n/messages.js'
import { type ConsolePages, Folded, type LinkedFact, type View } from '../pages/console-frame.js'
import { codeInWords, obstaclesInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { queryOf } from '../pages/reader.js'
import { type Column, Table } from '../pages/table.js'
import type { PaymentFile } from './read-files.js'

export type TrailEntry = PaymentFile['audit'][number]

export interface TrailNotice {
  /** The id of the act that was just done. */
  readonly done: string | undefined
  /** The id of the refusal of what was just tried. */
  readonly refused: string | undefined
  /** Nothing was done, because the facts had changed. */
  readonly isChanged: boolean
}

/** The pages of acts write these members into the address. */
export function noticeIn(request: FastifyRequest): TrailNotice {
  return {
    done: queryOf(request, 'done') ?? queryOf(request, 'shown'),
    refused: queryOf(request, 'refused'),
    isChanged: queryOf(request, 'changed') !== undefined,
  }
}

/** An act was just done or refused, so its entry is in the trail. */
export function isOfAct({ done, refused }: TrailNotice): boolean {
  return done !== undefined || refused !== undefined
}

interface NoticeSaid {
  readonly view: View
  readonly acts: readonly TrailEntry[]
  readonly notice: TrailNotice
  /** Why an act that books money has booked none yet; null: it has, or it is another act. */
  readonly notBooked?: (act: TrailEntry) => string | null
  /** The result of a lookup at the provider; null: it is another act. */
  readonly found?: (act: TrailEntry) => string | null
  /** Why the act was refused. */
  readonly whyRefused?: () => string
  /** A link to what the operator can decide next. */
  readonly next?: LinkedFact | null
}

export function NoticeOf(of: NoticeSaid) {
  const said = saidOf(of)
  if (!said) return null
  const { title, act, texts, isWarning } = said
  const { view, next = null } = of
  return (
    <section class={isWarning ? 'notice warn' : 'notice'} role="status">
      <h2 safe>{view.say(title)}</h2>
      {texts.map((text) => (text === null ? null : <p safe>{text}</p>))}
      <p class="actions">
        {next && <LinkButton href={next.href} label={next.text} go />}
        {act && <LinkButton href={`#${act.id}`} label={view.say('toTrail')} />}
      </p>
    </section>
  )
}

interface Said {
  readonly title: ConsoleKey
  readonly texts: readonly (string | null)[]
  /** The entry in the trail; null: nothing was done or refused. */
  readonly act: TrailEntry | null
  readonly isWarning: boolean
}

function saidOf({ view, acts, notice, notBooked, found, whyRefused }: NoticeSaid): Said | null {
  const { say } = view
  const done = acts.find(({ id, act }) => id === notice.done && act !== 'operator.refused')
  if (done) {
    const why = notBooked?.(done) ?? null
    const text = say('doneText', { act: didInWords(view, done), name: done.actor })
    const title = why === null ? 'doneTitle' : 'notBookedTitle'
    return { title, texts: [text, why ?? found?.(done) ?? null], act: done, isWarning: why !== null }
  }
  const refused = acts.find(({ id, act }) => id === notice.refused && act === 'operator.refused')
  if (refused) {
    const texts = [refusalOf(view, refused), whyRefused?.() ?? null]
    return { title: 'refusedTitle', texts, act: refused, isWarning: true }
  }
  if (!notice.isChanged) return null
  return { title: 'changedTitle', texts: [say('changedText')], act: null, isWarning: true }
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
