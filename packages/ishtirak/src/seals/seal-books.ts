// The job that seals what was booked, and once a day sends the head of the chain to others. With that head
// they can show later that nothing before it was changed. It costs a booking nothing.
import { hash } from 'node:crypto'
import { type Instant, toTimestamp } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { Database } from '../database/database.js'
import type { DeliveryDeps } from '../events/deliver-events.js'
import { loadEventEndpoint } from '../events/event-history.sql.js'
import { isAccepted } from '../events/event-sender.js'
import { consoleSay } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'
import type { Mailer } from '../mail/send-mail.js'
import { composeMail, type WriteMailDeps } from '../mail/write-mail.js'
import { appendSeals, type DayHead, lastDay, newEntries, noteDay, saveTold } from './seals.sql.js'

export interface SealDeps
  extends Pick<CommonParts, 'clock' | 'log' | 'count' | 'wallClock'>,
    Pick<DeliveryDeps, 'outgoing'>,
    WriteMailDeps {
  readonly database: Database
  readonly mailer?: Mailer
  readonly operatorMail?: { readonly to: readonly string[]; readonly locale: Locale }
}

/** The most entries of each kind in one query, for which other calls of the embedded database wait. */
const SEALED_AT_ONCE = 1_000

/** A job; returns how many entries it has sealed. */
export async function sealBooks(deps: SealDeps, goesOn: () => boolean = () => true): Promise<number> {
  let sealed = 0
  for (;;) {
    const count = await sealNext(deps)
    sealed += count
    if (count === 0) break
    if (!goesOn()) return sealed
  }
  // The head at the end of yesterday. A new chain has its first head at once.
  await noteDay(deps.database, deps.wallClock.dayAt(deps.wallClock.startOfDay(deps.clock.now()) - 1))
  await tellHead(deps)
  return sealed
}

async function sealNext({ database, clock }: SealDeps): Promise<number> {
  const { head, entries } = await newEntries(database, { now: clock.now(), limit: SEALED_AT_ONCE })
  if (entries.length === 0) return 0
  let last = head
  const seals = entries.map(({ content, ...entry }) => {
    last = { position: last.position + 1, hash: hash('sha256', `${last.hash}${content}`) }
    return { ...entry, ...last }
  })
  return (await appendSeals(database, seals)) ? seals.length : 0
}

/** Only the newest is sent, until it has arrived: it proves those before it. */
async function tellHead(deps: SealDeps): Promise<void> {
  const head = await lastDay(deps.database)
  if (!head) return
  const mailedAt = head.mailedAt ?? (await mailHead(deps, head))
  const toldAt = head.toldAt ?? (await sendHead(deps, head))
  if (mailedAt !== head.mailedAt || toldAt !== head.toldAt)
    await saveTold(deps.database, { ...head, mailedAt, toldAt })
}

/** When the mail was sent, or refused for good; null: it is tried again. */
async function mailHead(deps: SealDeps, head: DayHead): Promise<Instant | null> {
  const { mailer, operatorMail, clock, log, count } = deps
  if (!mailer || !operatorMail) return null
  const { to, locale } = operatorMail
  const { day, position, hash } = head
  const say = consoleSay(locale)
  const mail = composeMail(deps, locale, {
    ...{ id: `sealed.${day}.${hash.slice(0, 32)}`, to: [...to] },
    ...{ subject: say('sealedSubject', { day }), greeting: say('sealedWhat', { day }) },
    paragraphs: [`${position} ${hash}`, say('sealedKeep')],
    ...{ button: say('sealedButton'), url: `${deps.publicUrl}/console/health` },
    ...{ footer: say('sealedFooter'), contact: [deps.seller.identity.name[locale]] },
  })
  const result = await mailer.send(mail)
  count({ name: 'mail', outcome: result.kind })
  if (result.kind !== 'sent') log.warn({ reason: result.reason }, `the mail with a head was ${result.kind}`)
  return result.kind === 'failed' ? null : clock.now()
}

/** The event is about no user, so it is not in the outbox and has no sequence. */
async function sendHead(deps: SealDeps, head: DayHead): Promise<Instant | null> {
  const { outgoing, database, clock, wallClock, count, log } = deps
  const { day, position, hash } = head
  const endpoint = outgoing && (await loadEventEndpoint(database))
  if (!endpoint || endpoint.state === 'disabled') return null
  const timestamp = toTimestamp(wallClock.dayOf(day)?.to ?? 0)
  const body = JSON.stringify({ type: 'books.sealed', timestamp, data: { day, position, hash } })
  const sent = await outgoing.sender.send({ id: `evt_${hash.slice(0, 26)}`, body })
  const isTaken = isAccepted(sent)
  count({ name: 'event_delivery', outcome: isTaken ? 'delivered' : 'failed' })
  if (!isTaken) log.warn({ day, ...sent }, 'the event with a head was not accepted')
  return isTaken ? clock.now() : null
}
