// Sends due mail by SMTP: claims it with a lease, drops it if it is outdated, and writes it. After a crash
// the row is due again, so a message may be sent twice (with the same Message-ID) but is never lost.
import type { MailWriter } from '../acts/mail-writer.js'
import { judgeMail, mailRetryAfter } from '../core/announcement.js'
import { HOUR, SECOND } from '../core/instant.js'
import { DatabaseUnavailable } from '../database/database.js'
import type { CommonParts } from '../ledger/parts.js'
import { inBatches } from '../runtime/async.js'
import { isThisMachine } from '../runtime/environment.js'
import { type ClaimedMail, claimDueMails, finishMail, MAIL_LEASE_MS } from './mail.sql.js'
import { type MailMessage, type WriteMailDeps, writeMail } from './write-mail.js'

type SendResult =
  | { readonly kind: 'sent' }
  /** `refused`: the server will never accept a message for this address. */
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

export interface Mailer {
  send(message: MailMessage): Promise<SendResult>
}

export interface SendMailDeps
  extends WriteMailDeps,
    Pick<CommonParts, 'database' | 'clock' | 'log' | 'count'> {
  /** Absent: no mail is sent. */
  readonly mailer?: Mailer
  readonly mails: readonly MailWriter[]
}

/** A capability was removed, or an older version runs too. After five attempts the inbox shows the mail. */
const UNWRITTEN = 'failed: no part of the running service writes mail of this kind'
const UNWRITTEN_MS = 1 * HOUR

/** Messages that are sent at once. Few mail servers like more connections from one client. */
const AT_ONCE = 4

/** Sends up to `limit` messages while `goesOn()`, and returns how many it finished; without a server 0. */
export async function sendDueMail(deps: SendMailDeps, limit: number, goesOn?: () => boolean) {
  const { mailer } = deps
  if (!mailer) return 0
  for (const { kind, queueDue } of deps.mails) {
    const queue = async () => queueDue?.(deps.clock.now())
    await queue().catch((error) => noteBroken(deps, kind, error))
  }
  const send = async (most: number) => {
    const now = deps.clock.now()
    const claim = { now, limit: most, leaseUntil: now + MAIL_LEASE_MS }
    const claimed = await claimDueMails(deps.database, claim)
    await Promise.all(claimed.map((owed) => sendOne(deps, mailer, owed)))
    return claimed.length
  }
  return inBatches(limit, AT_ONCE, send, goesOn)
}

async function sendOne(deps: SendMailDeps, mailer: Mailer, owed: ClaimedMail): Promise<void> {
  const { database, clock } = deps
  const { kind, about } = owed
  const writer = deps.mails.find((one) => one.kind === kind && about.startsWith(one.about ?? ''))
  if (!writer) return finishMail(database, owed, { dueAt: clock.now() + UNWRITTEN_MS, outcome: UNWRITTEN })
  const now = clock.now()
  const { lifetimeMs } = writer
  const isStillTrue = () => writer.isStillTrue?.(owed, now) ?? true
  const verdict = judgeMail({ queuedAt: owed.queuedAt, lifetimeMs, isStillTrue }, owed.user.email, now)
  if (verdict !== 'send') {
    deps.count({ name: 'mail', outcome: verdict })
    return finishMail(database, owed, { dueAt: null, outcome: verdict })
  }
  const result = await writeMail(deps, owed, writer).then(mailer.send, (error) =>
    noteBroken(deps, kind, error),
  )
  deps.count({ name: 'mail', outcome: result.kind })
  if (result.kind === 'sent') return finishMail(database, owed, { dueAt: null, outcome: 'sent' })
  const line = { kind, attempts: owed.attempts, reason: result.reason }
  deps.log.warn(line, `a mail was ${result.kind}`)
  const dueAt = result.kind === 'refused' ? null : clock.now() + mailRetryAfter(owed.attempts)
  await finishMail(database, owed, { dueAt, outcome: `${result.kind}: ${result.reason}`.slice(0, 500) })
}

/** A broken writer does not hold up other mail. While the database is unreachable no mail is due. */
function noteBroken({ log }: SendMailDeps, kind: string, error: unknown) {
  if (error instanceof DatabaseUnavailable) throw error
  log.error({ err: error, kind }, 'the part that writes this kind of mail failed: it is tried again later')
  return { kind: 'failed', reason: 'it cannot be written' } as const
}

const CONNECT_MS = 10 * SECOND
/** The longest silence in the middle of a message. */
const SILENCE_MS = 20 * SECOND
/** The longest time for a whole message, also if the server keeps talking. Less than the lease. */
const MESSAGE_MS = 90 * SECOND

/** `smtps://` speaks TLS from the first byte (port 465). `smtp://` (587) upgrades if the server offers it. */
export function createMailer(smtpUrl: string, limitMs = MESSAGE_MS): Mailer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    secure: protocol === 'smtps:',
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    // A password is never sent in clear text, even if an attacker has removed the server's offer of TLS.
    requireTLS: username !== '' && !isThisMachine(hostname),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  }
  // Loaded only if there is a mail server: it takes 60 ms of the start.
  const transport = import('nodemailer').then(({ createTransport }) => createTransport(options))
  return {
    send: async (message) => {
      try {
        await (await transport).sendMail({ ...message, signal: AbortSignal.timeout(limitMs) })
        return { kind: 'sent' }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        return { kind: isForGood(error) ? 'refused' : 'failed', reason: error.message }
      }
    },
  }
}

/** 5xx for the recipient or message (RFC 5321, section 4.2.1). Other failures may be ours, and temporary. */
function isForGood(error: Error): boolean {
  const command = 'command' in error ? error.command : undefined
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  return code >= 500 && (command === 'RCPT TO' || command === 'DATA')
}
