// What the provider says of a payment and what an act would change, in the words of the console.
import { receiptInWords, statusKey } from '../acts/changes.js'
import type { InWords } from '../acts/form.js'
import type { Preview } from '../acts/preview.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { reviewInWords } from '../pages/console-words.js'
import type { ProviderPreview } from './settlement-preview.js'

export function previewInWords(
  pages: ConsolePages,
  view: View,
  { detail }: Preview<ProviderPreview>,
): InWords {
  const { say, locale } = view
  const { said, payment, isAnswered, settledBy, receipt } = detail
  const amount = said?.amount ?? null
  const answer = said
    ? [say(statusKey(said.status)), amount === null ? '' : pages.formats.money(amount, locale)]
    : [say(isAnswered ? 'providerKnowsNothing' : 'providerSilent')]
  return {
    facts: [
      [say('amount'), pages.formats.money(payment.price.amount, locale)],
      [
        say(settledBy === 'operator' ? 'operatorEntered' : 'providerSays'),
        answer.filter((word) => word !== '').join(' · '),
      ],
      [say('reviewDiffers'), reviewInWords(pages, view, payment)],
      [say('receiptWillSay'), receiptInWords(pages, view, receipt)],
    ],
  }
}
