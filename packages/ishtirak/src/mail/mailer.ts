// Sends one message by SMTP and reports the result: sent, refused for good, or failed for now. A message may be sent twice
// after a crash, so each carries a Message-ID of its own.
import { createTransport, type SendMailOptions } from 'nodemailer'
import { SECOND } from '../core/instant.js'

export interface MailAddress {
  readonly name: string
  readonly address: string
}

type SendResult =
  | { readonly kind: 'sent' }
  /** The server will never accept a message for this address. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'failed'; readonly reason: string }

export interface Mailer {
  send(message: SendMailOptions): Promise<SendResult>
}

const CONNECT_MS = 10 * SECOND
/** Without a byte in the middle of a message. */
const SILENCE_MS = 20 * SECOND

/** `smtps://` speaks TLS from the first byte (port 465); `smtp://` (port 587) upgrades when the server offers it. */
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
    // A password must not cross a network in clear text because an attacker removed the server's offer of TLS.
    requireTLS: username !== '' && !isThisMachine(host),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    send: async (message) => {
      try {
        await transport.sendMail(message)
        return { kind: 'sent' }
      } catch (error) {
        if (!(error instanceof Error)) throw error
        return { kind: isForGood(error) ? 'refused' : 'failed', reason: error.message }
      }
    },
  }
}

/** 5xx to the recipient or the message itself (RFC 5321, section 4.2.1). Any other failure may be ours, and pass. */
function isForGood(error: Error): boolean {
  const command = 'command' in error ? error.command : undefined
  const code = 'responseCode' in error ? Number(error.responseCode) : 0
  return code >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}
