// The mail about a transfer: where the money goes, that its slip has come, and why it was refused.
import type { MailTo, MailWriter } from '../acts/mail-writer.js'
import { DAY } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { isPaidNow } from '../core/quote.js'
import { formatReference } from '../core/reference.js'
import { statusAt } from '../core/subscription.js'
import { type Formats, paidForInWords } from '../i18n/formats.js'
import { planName, type Say } from '../i18n/messages.js'
import type { CommonParts } from '../ledger/parts.js'
import { accountInWords } from './account-words.js'
import { findTransfer, type StoredTransfer } from './transfers.sql.js'

export type TransferMailDeps = Pick<CommonParts, 'database' | 'clock' | 'rules' | 'formats' | 'methods'>

const KINDS = ['payment_requested', 'proof_received', 'payment_refused'] as const

export function transferMails(deps: TransferMailDeps): readonly MailWriter[] {
  return KINDS.map((kind) => ({
    kind,
    lifetimeMs: DAY,
    write: async (mail, { locale, say }) => {
      const transfer = await findTransfer(deps.database, { userId: mail.userId, paymentId: mail.about })
      if (!transfer) throw new Error(`a mail about ${mail.about}, which is no transfer`)
      const data = {
        ...dataOf(deps.formats, locale, transfer),
        counts: say(`counts_${transfer.payment.kind}`),
      }
      const isTime = transfer.payment.kind === 'purchase'
      return {
        subject: say(`mail_${kind}_subject`, data),
        paragraphs: [
          say(`mail_${kind}_what`, data),
          ...(kind === 'payment_requested' ? accountLines(deps, transfer, { say, amount: data.amount }) : []),
          say(`mail_${kind}_next`, data),
          ...(kind === 'proof_received' && isTime ? slipLines(deps, mail, say) : []),
        ],
        button: say('openPortal'),
      }
    },
  }))
}

function dataOf(formats: Formats, locale: Locale, { reference, transfer, payment }: StoredTransfer) {
  return {
    plan: payment.plan ? planName(payment.plan.name, locale) : paidForInWords(payment, locale),
    amount: formats.money(payment.price.amount, locale),
    reference: formatReference(reference),
    end: formats.moment(payment.expiresAt, locale),
    reason: transfer.refusal ?? '',
  }
}

/** New time starts where paid time ends. A first purchase has none to follow. */
function slipLines({ clock, rules }: TransferMailDeps, { user }: MailTo, say: Say): string[] {
  return isPaidNow(statusAt(user.subscription, clock.now(), rules)) ? [say('slipInTime')] : []
}

function accountLines(
  { methods }: TransferMailDeps,
  transfer: StoredTransfer,
  { say, amount }: { readonly say: Say; readonly amount: string },
): string[] {
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
