// The text of links to payments and users, never an id, and the status of a payment as a badge.
import { statusKey } from '../acts/changes.js'
import type { Locale } from '../core/locale.js'
import { plainName } from '../core/name.js'
import type { Payment } from '../core/payment.js'
import type { Queryable } from '../database/database.js'
import type { Formats } from '../i18n/formats.js'
import { inParts, paidForInWords } from '../i18n/formats.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { findPaymentsById } from './payments.sql.js'
import { findProfiles, type UserRecord } from './users.sql.js'

export function paymentInWords({ amountPaid }: Formats, payment: Payment, locale: Locale): string {
  return inParts([paidForInWords(payment, locale), amountPaid(payment, locale)], locale)
}

export type Labels = Awaited<ReturnType<typeof readLabels>>

/** Reads the payments and users with these ids. Unknown ids are left out. */
export async function readLabels(
  { database }: { readonly database: Queryable },
  ids: { readonly payments?: readonly (string | null)[]; readonly users?: readonly (string | null)[] },
) {
  const known = (some: readonly (string | null)[] = []) => [...new Set(some)].filter((id) => id !== null)
  const [payments, users] = await Promise.all([
    findPaymentsById(database, known(ids.payments)),
    findProfiles(database, known(ids.users)),
  ])
  const [paymentOf, userOf] = [
    new Map(payments.map((payment) => [payment.id, payment])),
    new Map(users.map((user) => [user.userId, user])),
  ]
  return {
    payment: (id: string): Payment | null => paymentOf.get(id) ?? null,
    user: (userId: string | null) => userOf.get(userId ?? '') ?? { userId, name: null, email: null },
  }
}

export function PaymentLink(of: {
  pages: ConsolePages
  view: View
  id: string
  payment: Payment | null | undefined
}) {
  const { pages, view, id, payment } = of
  const words = payment ? paymentInWords(pages.formats, payment, view.locale) : view.say('payment')
  return (
    <a class="small line" href={addressOf(pages.base, 'payments', id)} safe>
      {words}
    </a>
  )
}

/** `Samira Taleb · Pro · 3 months · 5 400 DA` */
export function paymentTitle(
  formats: Formats,
  locale: Locale,
  { payment, user }: { readonly payment: Payment; readonly user: Pick<UserRecord, 'name' | 'email'> },
): string {
  const name = plainName(user.name ?? user.email ?? payment.userId)
  // A name in Arabic, where it is first, would turn a title in French around.
  const first = locale === 'ar' ? name : `\u200e\u2068${name}\u2069`
  return inParts([first, paymentInWords(formats, payment, locale)], locale)
}

const BADGES: Readonly<Record<string, string>> = {
  paid: '',
  review: 'warn',
  pending: 'none',
  requested: 'none',
}

export function StatusBadge({ view, payment }: { view: View; payment: Payment }) {
  const { status } = payment
  return (
    <span class={`badge ${BADGES[status] ?? 'bad'}`} safe>
      {view.say(statusKey(status))}
    </span>
  )
}
