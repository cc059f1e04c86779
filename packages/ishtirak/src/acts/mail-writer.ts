// The mail that a capability writes to users. A row of `mails` says that a mail must be sent. The query that
// saves what the mail is about also inserts this row. The folder `mail` sends the mail and knows no kind by
// name. The console names it by the text `mail_<kind>`.
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
  /** A word in `snake_case`. Mail without a writer is not sent. */
  readonly kind: string
  /** If several capabilities share a kind: the beginning of the ids that this writer is for. */
  readonly about?: string
  /** Mail that is older is not sent. */
  readonly lifetimeMs: number
  /** Whether the mail still applies. If absent, it always does. */
  isStillTrue?(mail: MailTo, now: Instant): boolean
  /** Inserts the mail that becomes due as time passes. It runs before each round of sending. */
  queueDue?(now: Instant): Promise<unknown>
  write(mail: MailTo, of: { readonly locale: Locale; readonly say: Say }): Promise<MailContent>
}

export interface MailContent {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** The text of the link. */
  readonly button: string
  /** The address of the link; the portal if absent. */
  readonly url?: string
  readonly attachments?: readonly { filename: string; content: Buffer; contentType: string }[]
}
