// OPERATOR_MAIL…: who gets a mail about what entered the inbox.
import Type from 'typebox'
import { hasConsole } from '../access/settings.js'
import { LOCALES, type Locale } from '../core/locale.js'
import { listOf, settingsOf } from '../runtime/environment.js'
import { items } from '../runtime/old-secrets.js'

export interface OverviewConfig {
  /** All in one language. Absent: no mail is sent. */
  readonly operatorMail?: { readonly to: readonly string[]; readonly locale: Locale }
}

export const overviewSettings = settingsOf(
  {
    OPERATOR_MAIL: listOf('addresses such as billing@example.dz', /[^\s<>@,;]+@[^\s<>@,;]+/),
    OPERATOR_MAIL_LOCALE: Type.Optional(
      Type.Enum([...LOCALES], { description: `one of ${LOCALES.join(', ')}` }),
    ),
  },
  {
    contradictions: (given, place) => [
      [!!given.OPERATOR_MAIL && !given.SMTP_URL, 'SMTP_URL is missing: OPERATOR_MAIL is set'],
      [
        !!given.OPERATOR_MAIL && !hasConsole(given, place),
        'OPERATOR_KEYS is missing: the mail to OPERATOR_MAIL links to the console',
      ],
    ],
    read: ({ OPERATOR_MAIL: to, OPERATOR_MAIL_LOCALE: locale = 'ar' }): OverviewConfig =>
      to === undefined ? {} : { operatorMail: { to: items(to), locale } },
  },
)
