// The mail about time that was given without a payment, by whatever gave it.
import type { MailWriter } from '../acts/mail-writer.js'
import { RECEIPT_LIFETIME_MS } from '../core/announcement.js'
import { DAY } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { type Formats, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import { findGrant, type StoredGrant } from './grants.sql.js'
import type { CommonParts } from './parts.js'

export type GrantedMailDeps = Pick<CommonParts, 'database' | 'formats'>

/** `about`: how the ids of these grants begin. */
export function grantedMail(
  { database, formats }: GrantedMailDeps,
  of: { readonly about: string; readonly theme: 'granted' | 'granted_code' | 'trial' },
): MailWriter {
  return {
    kind: 'granted',
    about: of.about,
    lifetimeMs: RECEIPT_LIFETIME_MS,
    write: async ({ userId, about }, { locale, say }) => {
      const grant = await findGrant(database, userId, about)
      if (!grant) throw new Error(`a mail about ${about}, which is not there`)
      const data = {
        plan: planName(grant.plan.name, locale),
        end: formats.moment(grant.end, locale),
        granted: lengthOf(grant, formats, locale),
      }
      const { theme } = of
      return {
        subject: say(`mail_${theme}_subject`, data),
        paragraphs: [say(`mail_${theme}_what`, data), say(`mail_${theme}_next`, data)],
        button: say('openPortal'),
      }
    },
  }
}

/** `14 days`, `3 months` */
function lengthOf({ months, days }: StoredGrant, formats: Formats, locale: Locale): string {
  return months > 0 ? termInWords(months, locale) : formats.timeLeft(days * DAY, locale)
}
