// The sandbox has no mail server: the last messages stay in memory, and a page shows them.
import { escapeHtml } from '@kitajs/html'
import type { App } from '../http/app.js'
import type { Mailer } from './send-mail.js'
import type { MailMessage } from './write-mail.js'

export const KEPT_MAILS_PATH = '/_sandbox/mails'

const KEPT_MAX = 100
const HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

export function createKeptMail() {
  const kept: MailMessage[] = []
  const mailer: Mailer = {
    send: async (message) => {
      kept.unshift(message)
      kept.length = Math.min(kept.length, KEPT_MAX)
      return { kind: 'sent' }
    },
  }
  const route = async (app: App): Promise<void> => {
    app.get(KEPT_MAILS_PATH, { schema: { hide: true } }, (_request, reply) =>
      reply
        .headers(HEADERS)
        .type('text/html; charset=utf-8')
        .send(`<!doctype html>${pageOf(kept)}`),
    )
  }
  return { mailer, route }
}

function pageOf(kept: readonly MailMessage[]): string {
  return String(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Ishtirak: mail of the sandbox</title>
        <style>
          {'body { font: 16px/1.5 sans-serif; max-inline-size: 45rem } p { white-space: pre-wrap }'}
        </style>
      </head>
      <body>
        <h1>Mail of the sandbox</h1>
        <p>With SMTP_URL it would have been sent. The last {KEPT_MAX} messages, newest first.</p>
        {kept.map(({ subject, to, text, attachments }) => {
          const safeText = escapeHtml(text).replace(/https?:\/\/\S+/g, '<a href="$&">$&</a>')
          return (
            <article dir="auto">
              <h2 safe>{subject}</h2>
              <p safe>{to.map((one) => (typeof one === 'string' ? one : one.address)).join(', ')}</p>
              <p dir="auto">{safeText}</p>
              <ul>
                {attachments?.map(({ filename }) => (
                  <li safe>{String(filename)}</li>
                ))}
              </ul>
            </article>
          )
        })}
      </body>
    </html>,
  )
}
