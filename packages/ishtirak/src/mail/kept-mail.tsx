// The sandbox has no mail server: the last messages stay in memory, and a page shows them.
import { escapeHtml } from '@kitajs/html'
import type { App } from '../http/app.js'
import type { Mailer } from './send-mail.js'
import { type MailMessage, recipientAddress } from './write-mail.js'

export const KEPT_MAILS_PATH = '/_sandbox/mails'

const KEPT_MAX = 100
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-inline-size: 45rem; padding-inline: 1rem }
article { border-block-start: 1px solid #8886 }
h2 { font-size: 1.1rem }
p { white-space: pre-wrap; overflow-wrap: break-word }
`

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
        .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .send(pageOf(kept)),
    )
  }
  return { mailer, route }
}

function pageOf(kept: readonly MailMessage[]): string {
  return `<!doctype html>${String(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Ishtirak: mail of the sandbox</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <h1>Mail of the sandbox</h1>
        <p>With SMTP_URL it would have been sent. The last {KEPT_MAX} messages, newest first.</p>
        {kept.map((message) => (
          <article dir="auto">
            <h2 safe>{message.subject ?? ''}</h2>
            <p safe>{message.to.map(recipientAddress).join(', ')}</p>
            <p dir="auto">
              <Linked text={String(message.text)} />
            </p>
            <ul>
              {message.attachments?.map(({ filename }) => (
                <li safe>{String(filename)}</li>
              ))}
            </ul>
          </article>
        ))}
      </body>
    </html>,
  )}`
}

/** Makes the addresses in it links, as in a mail program. */
function Linked({ text }: { readonly text: string }) {
  const parts = text.split(/(https?:\/\/\S+)/)
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <a href={part} safe>
            {part}
          </a>
        ) : (
          escapeHtml(part)
        ),
      )}
    </>
  )
}
