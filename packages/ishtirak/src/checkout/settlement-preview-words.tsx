// What the provider says of a payment and what an act would change, in the words of the console.
import { changesInWords, receiptInWords, statusKey } from '../acts/changes.js'
import type { Shown } from '../acts/form.js'
import type { Preview } from '../acts/preview.js'
import { type ConsolePages, Facts, type View } from '../pages/console-frame.js'
import { reviewInWords } from '../pages/console-words.js'
import type { ProviderPreview } from './settlement-preview.js'

export function previewInWords(
  pages: ConsolePages,
  view: View,
  { changes, detail }: Preview<ProviderPreview>,
): Omit<Shown, 'version'> {
  const { say, locale } = view
  const { said, payment, isAnswered, settledBy, receipt } = detail
  const amount = said?.amount ?? null
  const answer = said
    ? [say(statusKey(said.status)), amount === null ? '' : pages.formats.money(amount, locale)]
    : [say(isAnswered ? 'providerKnowsNothing' : 'providerSilent')]
  return {
    changes: changesInWords(pages, view, changes),
    safeMore: (
      <Facts
        facts={[
          [say('amount'), pages.formats.money(payment.price.amount, locale)],
          [
            say(settledBy === 'operator' ? 'operatorEntered' : 'providerSays'),
            answer.filter((word) => word !== '').join(' · '),
          ],
          [say('reviewDiffers'), reviewInWords(pages, view, payment)],
          [say('receiptWillSay'), receiptInWords(pages, view, receipt)],
        ]}
      />
    ),
  }
}
