// Sends one letter by SMTP and says what became of it: sent, refused for good, or failed for now. It writes nothing and
// decides nothing; a letter may be sent twice by those who cannot know, so each carries a Message-ID of its own.
import { createTransport } from 'nodemailer'
import { SECOND } from '../core/instant.js'

export interface MailAddress {
  readonly name: string
  readonly address: string
}

export interface Letter {
  /** `<…@host>`, the same at every attempt: mailboxes show two of one id as one. */
  readonly messageId: string
  readonly from: MailAddress
  readonly to: MailAddress
  readonly subject: string
  readonly text: string
  readonly html: string
  /** A BCP 47 tag. */
  readonly language: string
  readonly attachments: readonly { readonly filename: string; readonly pdf: Uint8Array }[]
}

export type Dispatch =
  | { readonly kind: 'sent' }
  /** The server will not take a letter for this address, today or tomorrow. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export interface Mailer {
  send(letter: Letter): Promise<Dispatch>
}

const CONNECT_MS = 10 * SECOND
/** Silence in the middle of a letter. */
const SILENCE_MS = 20 * SECOND

/** `smtps://` speaks TLS from the first byte (port 465); `smtp://` (port 587) turns to it when the server offers it. */
export function createMailer(smtpUrl: string): Mailer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const host = hostname.replace(/^\[|\]$/g, '')
  const transport = createTransport({
    host,
    secure: protocol === 'smtps:',
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    // A password must not cross a network in clear because somebody cut the offer of TLS out of the conversation.
    requireTLS: username !== '' && !isThisMachine(host),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (letter) => {
      try {
        await transport.sendMail(toMessage(letter))
        return { kind: 'sent' }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        return { kind: isForGood(error) ? 'refused' : 'failed', reason: error.message }
      }
    },
  }
}

function toMessage({ messageId, from, to, subject, text, html, language, attachments }: Letter) {
  return {
    messageId,
    from: { ...from },
    to: { ...to },
    subject,
    text,
    html,
    headers: { 'Content-Language': language, 'Auto-Submitted': 'auto-generated' },
    attachments: attachments.map(({ filename, pdf }) => ({
      filename,
      content: Buffer.from(pdf),
      contentType: 'application/pdf',
    })),
  }
}

/** 5xx to the recipient or the letter itself (RFC 5321, section 4.2.1). Any other trouble may be ours, and pass. */
function isForGood(error: Error): boolean {
  const command = 'command' in error ? error.command : undefined
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  return code >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
