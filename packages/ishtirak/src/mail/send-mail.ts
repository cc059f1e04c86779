// The mail that is owed, sent: claimed with a lease, judged whether it is still true, written, handed to the mail server.
// A process that dies in the middle leaves a row that is due again, so a letter may come twice and is never lost.
import { DAY, MINUTE } from '../core/instant.js'
import { judgeMail, mailRetryAfter } from '../core/mail.js'
import type { MailParts, Parts } from '../payments/parts.js'
import { type ClaimedMail, claimDueMails, finishMail, forgetMails } from './mail.sql.js'
import { writeLetter } from './write-mail.js'

/** Letters under way at once; few mail servers like more connections from one client. */
const AT_ONCE = 4
/** A letter takes at most 40 s (connecting, greeting, silence); twice that and some more. */
const LEASE_MS = 2 * MINUTE
const REMEMBERED = 90 * DAY

/** Sends up to `limit` letters. Gives how many rows it dealt with; without a mail server none. */
export async function sendDueMail(parts: Parts, limit: number): Promise<number> {
  const { mail } = parts
  if (!mail) return 0
  let done = 0
  while (done < limit) {
    const now = parts.clock.now()
    const claim = { now, limit: Math.min(AT_ONCE, limit - done), leaseUntil: now + LEASE_MS }
    const claimed = await claimDueMails(parts.database, claim)
    await Promise.all(claimed.map((owed) => deal(parts, mail, owed)))
    done += claimed.length
    if (claimed.length < claim.limit) break
  }
  return done
}

async function deal(parts: Parts, mail: MailParts, owed: ClaimedMail): Promise<void> {
  const { database, clock, terms } = parts
  const verdict = judgeMail(owed, owed.user, clock.now(), terms)
  if (verdict !== 'send') {
    parts.count({ name: 'mail', outcome: verdict })
    return finishMail(database, owed, { dueAt: null, outcome: verdict })
  }
  const dispatch = await mail.mailer.send(await writeLetter(parts, mail, owed))
  parts.count({ name: 'mail', outcome: dispatch.kind })
  if (dispatch.kind === 'sent') return finishMail(database, owed, { dueAt: null, outcome: 'sent' })
  const line = { kind: owed.kind, attempts: owed.attempts, reason: dispatch.reason }
  parts.log.warn(line, `a mail was ${dispatch.kind}`)
  const dueAt = dispatch.kind === 'refused' ? null : clock.now() + mailRetryAfter(owed.attempts)
  await finishMail(database, owed, { dueAt, outcome: `${dispatch.kind}: ${dispatch.reason}`.slice(0, 500) })
}

/** Forgets up to `limit` letters of long ago, and what was owed while there was no mail server. */
export function forgetOldMail({ database, clock }: Parts, limit: number): Promise<number> {
  return forgetMails(database, clock.now() - REMEMBERED, limit)
}
