// The mail that a capability writes to users: `mail` sends it, and knows none of its kinds. It is owed by a
// row of `mails`, which the capability's own statement inserts with what the mail is about; the console says
// its kind by the text `mail_<kind>`.
import type { MailKey } from '../core/announcement.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import type { SubscriptionFacts } from '../core/subscription.js'
import type { Say } from '../i18n/messages.js'

export interface MailTo extends MailKey {
  readonly userId: string
  readonly user: { readonly subscription: SubscriptionFacts }
}

export interface MailWriter {
  /** A word in `snake_case`. Mail that was owed and whose writer is gone waits. */
  readonly kind: string
  /** Where capabilities share a kind: how what it is about begins. */
  readonly about?: string
  /** It is sent within this time, or not at all. */
  readonly lifetimeMs: number
  /** Absent: it stays true, whatever comes after. */
  isStillTrue?(mail: MailTo, now: Instant): boolean
  /** Finds what is owed by now, before each round of sending; for what no booking owes. */
  owe?(now: Instant): Promise<unknown>
  write(mail: MailTo, of: { readonly locale: Locale; readonly say: Say }): Promise<MailContent>
}

interface MailContent {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** The text of the one link. */
  readonly button: string
  /** Absent: the portal. */
  readonly url?: string
  readonly attachments?: readonly { filename: string; content: Buffer; contentType: string }[]
}
