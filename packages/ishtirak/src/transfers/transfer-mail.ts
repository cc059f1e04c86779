// What mail says about a transfer: the reference, the accounts, and why it was refused.
import type { MailKind } from '../core/announcement.js'
import type { Locale } from '../core/locale.js'
import { isPaidNow } from '../core/quote.js'
import { formatReference } from '../core/reference.js'
import { type BillingRules, statusAt } from '../core/subscription.js'
import type { Formats } from '../i18n/formats.js'
import { planName, type Say } from '../i18n/messages.js'
import type { PaymentMethods } from '../ledger/method.js'
import type { ClaimedMail } from '../mail/mail.sql.js'
import type { Clock } from '../runtime/clock.js'
import { accountInWords } from './account-words.js'
import type { StoredTransfer } from './transfers.sql.js'

export interface TransferMailDeps {
  readonly methods: PaymentMethods
}

/** What the sentences may name. */
export function dataOfTransfer(
  formats: Formats,
  locale: Locale,
  { reference, transfer, payment }: StoredTransfer,
) {
  return {
    plan: planName(payment.plan.name, locale),
    amount: formats.money(payment.price.amount, locale),
    reference: formatReference(reference),
    end: formats.moment(payment.expiresAt, locale),
    reason: transfer.refusal ?? '',
  }
}

/** What a slip pays for follows on the time that there is; a first purchase follows on nothing. */
export function slipLines(
  { clock, rules }: { readonly clock: Clock; readonly rules: BillingRules },
  { kind, user }: Pick<ClaimedMail, 'kind' | 'user'>,
  say: Say,
): string[] {
  if (kind !== 'proof_received' || !isPaidNow(statusAt(user.subscription, clock.now(), rules))) return []
  return [say('slipInTime')]
}

/** What to send and where: a paragraph with a line for each value. */
export function accountLines(
  { methods }: TransferMailDeps,
  kind: MailKind,
  transfer: StoredTransfer | null,
  of: { readonly say: Say; readonly amount: string },
): string[] {
  if (kind !== 'payment_requested' || !transfer) return []
  const { say, amount } = of
  const line = ([label, value]: readonly [string, string]) => say('labelled', { label, value })
  const wanted = [
    [say('amount'), amount],
    [say('transferReference'), formatReference(transfer.reference)],
  ] as const
  const { accounts } = methods.of(transfer.payment.method)
  const shown = accounts.map((account) => accountInWords(account, say))
  return [wanted.map(line), ...shown.map(({ title, lines }) => [title, ...lines.map(line)])].map((lines) =>
    lines.join('\n'),
  )
}
