// What was done by hand, with what was done just now on top.
import type { FastifyRequest } from 'fastify'
import { isErrorCode } from '../core/error.js'
import { CATALOGS } from '../i18n/messages.js'
import type { PaymentFile } from '../operator/acts.js'
import { UNKNOWN } from '../operator/refusals.js'
import { Card } from '../portal/frame.js'
import { queryOf } from '../portal/reader.js'
import { actionInWords, codeInWords } from './codes.js'
import { type ConsolePages, Table, Text, type View } from './frame.js'

type TrailEntry = PaymentFile['audit'][number]

export interface Notice {
  /** The id of the act that was just done. */
  readonly done: string | undefined
  /** Nothing was done, because it had changed. */
  readonly isChanged: boolean
}

/** As `actOnce` writes it. */
export function noticeIn(request: FastifyRequest): Notice {
  return { done: queryOf(request, 'done'), isChanged: queryOf(request, 'changed') !== undefined }
}

export function NoticeOf({
  view,
  acts,
  notice,
}: {
  view: View
  acts: readonly TrailEntry[]
  notice: Notice
}) {
  const { say } = view
  const done = acts.find(({ id }) => id === notice.done)
  if (done) {
    return (
      <section class="notice" role="status">
        <h2 safe>{say('doneTitle')}</h2>
        <p safe>{say('doneText', { act: codeInWords(view, 'did', done.act), name: done.actor })}</p>
        <p>
          <a href={`#${done.id}`} safe>
            {say('toTrail')}
          </a>
        </p>
      </section>
    )
  }
  if (!notice.isChanged) return null
  return (
    <section class="notice warn" role="status">
      <h2 safe>{say('changedTitle')}</h2>
      <p safe>{say('changedText')}</p>
    </section>
  )
}

/** What was refused, and empty for every other act. */
function refusalOf(view: View, { after }: TrailEntry): string {
  if (typeof after !== 'object' || after === null) return ''
  const { code, act = null } = after as { readonly code?: unknown; readonly act?: unknown }
  if (typeof code !== 'string' || !isErrorCode(code)) return ''
  const { title } = CATALOGS[view.locale].error[code]
  return typeof act !== 'string'
    ? title
    : view.say('entryOf', { entry: title, what: actionInWords(view, act) })
}

export function Trail({
  pages,
  view,
  acts,
}: {
  pages: ConsolePages
  view: View
  acts: readonly TrailEntry[]
}) {
  const { locale, say } = view
  const rows = acts.map((entry) => ({
    id: entry.id,
    safeCells: [
      <Text>{pages.formats.moment(Date.parse(entry.at), locale)}</Text>,
      <Text>{entry.actor === UNKNOWN ? say('unknownCaller') : entry.actor}</Text>,
      <Text>{codeInWords(view, 'did', entry.act)}</Text>,
      <Text>{entry.why ?? refusalOf(view, entry)}</Text>,
    ],
  }))
  return (
    <Card id="trail" title={say('trail')}>
      {rows.length === 0 ? (
        <p class="soft" safe>
          {say('trailEmpty')}
        </p>
      ) : (
        <Table columns={[say('when'), say('who'), say('act'), say('why')]} safeRows={rows} />
      )}
    </Card>
  )
}
