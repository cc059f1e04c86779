// The first page after the sign-in: what waits for a person, each entry with a link to where its next act is done.
import type { FastifyRequest } from 'fastify'
import type { App } from '../http/app.js'
import { readInbox } from '../operator/inbox.js'
import { COUNTED_MAX, INBOX_KINDS, type InboxKind } from '../operator/inbox.sql.js'
import { LinkButton } from '../portal/frame.js'
import { queryOf } from '../portal/reader.js'
import { codeInWords, differencesInWords, disabledInWords, failureInWords, mailedInWords } from './codes.js'
import { UserCell } from './found.js'
import { addressOf, type ConsolePages, Kept, renderConsole, sendPage, Table, type View } from './frame.js'
import { forOperators, viewOf } from './view.js'

const SHOWN = 25

type Inbox = Awaited<ReturnType<typeof readInbox>>
type Entry = Inbox['entries'][number]

export function inboxRoute(app: App, pages: ConsolePages): void {
  const hidden = forOperators(pages)
  app.get('/console', hidden, async (request, reply) => {
    const kind = kindIn(request)
    const cursor = queryOf(request, 'cursor') ?? null
    const inbox = await readInbox(pages, { kind, cursor, limit: SHOWN })
    const view = viewOf(pages, request, reply)
    return sendPage(pages, reply, inboxPage(pages, view, { inbox, kind, isFirst: cursor === null }))
  })
}

/** Null: all of them, also where the address names none that there is. */
function kindIn(request: FastifyRequest): InboxKind | null {
  const named = queryOf(request, 'kind')
  return INBOX_KINDS.find((kind) => kind === named) ?? null
}

function inboxPage(
  pages: ConsolePages,
  view: View,
  { inbox, kind, isFirst }: { inbox: Inbox; kind: InboxKind | null; isFirst: boolean },
): string {
  const { say } = view
  const { entries, nextCursor } = inbox
  const start = inboxAddress(pages, kind)
  const next = nextCursor === null ? null : inboxAddress(pages, kind, nextCursor)
  return renderConsole(pages, {
    ...view,
    title: say('inbox'),
    section: 'inbox',
    languagePath: start,
    safeContent: (
      <>
        <h1 safe>{say('inbox')}</h1>
        <Kinds {...{ pages, view, inbox, kind }} />
        <section class="card" aria-label={kind === null ? say('inbox') : say(`kind_${kind}`)}>
          {entries.length === 0 ? (
            <p safe>{say('nothingWaits')}</p>
          ) : (
            <Entries {...{ pages, view, entries }} />
          )}
        </section>
        {isFirst && next === null ? null : (
          <p class="actions">
            {isFirst ? null : <LinkButton href={start} label={say('firstPage')} />}
            {next === null ? null : <LinkButton href={next} label={say('nextPage')} />}
          </p>
        )}
      </>
    ),
  })
}

function inboxAddress({ base }: ConsolePages, kind: InboxKind | null, cursor?: string): string {
  const query = new URLSearchParams({ ...(kind && { kind }), ...(cursor && { cursor }) }).toString()
  return `${base}/console${query && `?${query}`}`
}

/** How many of each kind wait; each leads to these alone. */
function Kinds(of: { pages: ConsolePages; view: View; inbox: Inbox; kind: InboxKind | null }) {
  const { pages, view, inbox, kind } = of
  const { say, locale } = view
  const waiting = INBOX_KINDS.filter((one) => inbox.counts[one] > 0)
  if (waiting.length === 0) return null
  const counted = (count: number) =>
    count < COUNTED_MAX ? pages.formats.number(count, locale) : say('andMore', { count: String(COUNTED_MAX) })
  const link = (one: InboxKind | null, label: string) => (
    <li>
      <a href={inboxAddress(pages, one)} aria-current={one === kind ? 'page' : undefined} safe>
        {label}
      </a>
    </li>
  )
  return (
    <nav class="kinds" aria-label={say('kinds')}>
      <ul>
        {link(null, say('allKinds'))}
        {waiting.map((one) => link(one, `${say(`kind_${one}`)} (${counted(inbox.counts[one])})`))}
      </ul>
    </nav>
  )
}

function Entries({ pages, view, entries }: { pages: ConsolePages; view: View; entries: readonly Entry[] }) {
  const { say, locale } = view
  const { money, moment } = pages.formats
  const rows = entries.map((entry) => ({
    safeCells: [
      <What {...{ pages, view, entry }} />,
      <UserCell {...{ pages, user: entry }} />,
      entry.amount === null ? '' : <Kept>{money(entry.amount, locale)}</Kept>,
      <Kept>{moment(entry.since, locale)}</Kept>,
      <a href={placeOf(pages, entry)} safe>
        {say(`next_${entry.kind}`)}
      </a>,
    ],
  }))
  const columns = [say('what'), say('user'), say('amount'), say('since'), say('nextAct')]
  return <Table columns={columns} safeRows={rows} />
}

function What({ pages, view, entry }: { pages: ConsolePages; view: View; entry: Entry }) {
  const { kind, detail: code } = entry
  const detail = detailOf(pages, view, entry)
  const title = view.say(`kind_${kind}`)
  const mail = kind === 'mail_failed' && code !== null ? codeInWords(view, 'mail', mailIn(code).kind) : null
  return (
    <>
      <b safe>{mail === null ? title : view.say('entryOf', { entry: title, what: mail })}</b>
      {detail === null ? null : (
        <span class="soft small line">
          <bdi safe>{detail === code ? detail : capitalized(detail)}</bdi>
        </span>
      )}
    </>
  )
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/** As the statement of the inbox writes it: `receipt: refused: 550 no such user`. */
function mailIn(detail: string): { readonly kind: string; readonly outcome: string } {
  const [, kind = '', outcome = detail] = /^(\w+): (.*)$/s.exec(detail) ?? []
  return { kind, outcome }
}

/** In words where we know what it can say; what others answered as it stands. */
function detailOf(pages: ConsolePages, view: View, { kind, detail }: Entry): string | null {
  const { say } = view
  if (detail === null) return null
  if (kind === 'payment_review') return differencesInWords(pages, view, detail)
  if (kind === 'event_stuck') return failureInWords(view, detail)
  if (kind === 'mail_failed') return mailedInWords(view, mailIn(detail).outcome)
  if (kind === 'transfer_approval') return say('approvedBy', { name: detail })
  if (kind === 'second_payment') return say('paidAlreadyBy', { payment: detail })
  if (kind === 'events_off')
    return detail === 'failing'
      ? say('addressFails')
      : say('addressOff', { why: disabledInWords(view, detail) })
  if (kind !== 'finding') return detail
  const found = FINDINGS.find((one) => one === detail)
  return found ? say(`finding_${found}`) : detail
}

const FINDINGS = ['paid_not_booked', 'booked_not_paid', 'differs', 'unknown_paid'] as const

/** Where the next act is done. */
function placeOf({ base }: ConsolePages, { kind, id, paymentId, userId }: Entry): string {
  if (kind === 'events_off') return addressOf(base, 'health#deliveries')
  if (kind === 'event_stuck') return `${addressOf(base, 'events', id)}/resend`
  if (kind === 'mail_failed' && userId !== null) return addressOf(base, 'users', userId)
  return paymentId === null ? addressOf(base, 'health#comparison') : addressOf(base, 'payments', paymentId)
}
