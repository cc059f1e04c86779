// What mail says about a transfer: the reference, the accounts, and why it was refused.
import type { Account } from '../core/account.js'
import type { MailKind } from '../core/announcement.js'
import type { Locale } from '../core/locale.js'
import { formatReference } from '../core/reference.js'
import type { Formats } from '../i18n/formats.js'
import { planName, type Say } from '../i18n/messages.js'
import type { PaymentMethods } from '../payments/method.js'
import type { StoredTransfer } from '../payments/transfer/transfers.sql.js'

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

/** Where the money of a transfer goes. */
export function accountLines(
  { methods }: TransferMailDeps,
  kind: MailKind,
  transfer: StoredTransfer | null,
  say: Say,
): string[] {
  if (kind !== 'payment_requested' || !transfer) return []
  return methods.of(transfer.payment.method).accounts.flatMap((account) => accountLine(account, say))
}

function accountLine({ kind, bank, iban, ...account }: Account, say: Say): string[] {
  const { number, key, rip } = account
  const holder = bank === null ? account.holder : `${account.holder}, ${bank}`
  const line = say(`account_${kind}`, { holder, number, key: key ?? '', rip: rip ?? '' })
  return [line, ...(iban === null ? [] : [say('account_iban', { iban })])]
}
