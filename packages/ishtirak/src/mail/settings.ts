// SMTP_URL, the mail server, and MAIL_FROM, the sender.
import { settingsOf, textSetting, url } from '../runtime/environment.js'

export interface MailConfig {
  /** Absent: no mail is sent. */
  readonly smtpUrl?: string
  /** Absent: the seller. */
  readonly mailFrom?: { readonly name: string; readonly address: string }
}

export const mailSettings = settingsOf(
  {
    SMTP_URL: url('an address that starts with smtp:// or smtps://', 'smtp:', 'smtps:'),
    MAIL_FROM: textSetting(
      'an address such as billing@example.dz or Name <billing@example.dz>',
      /^[^\s<>@]+@[^\s<>@]+$|^[^<>@"\r\n]+ <[^\s<>@]+@[^\s<>@]+>$/,
    ),
  },
  {
    read: ({ SMTP_URL: smtpUrl, MAIL_FROM: sender }): MailConfig => ({
      ...(smtpUrl !== undefined && { smtpUrl }),
      ...(sender !== undefined && { mailFrom: readSender(sender) }),
    }),
  },
)

/** Reads `Name <address>` or an address; the schema has checked that it is one of them. */
function readSender(text: string): { name: string; address: string } {
  const [, name = '', address = text] = /^(.+) <(.+)>$/.exec(text) ?? []
  return { name, address }
}
