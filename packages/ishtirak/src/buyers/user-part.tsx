// What a facture names of the buyer, among everything known of a user.
import type { UserPart } from '../acts/file-parts.js'
import { type BuyerDetails, buyerField, missingDetails } from '../core/buyer-details.js'
import { sayFor } from '../i18n/messages.js'
import { type ConsolePages, Facts, type View } from '../pages/console-frame.js'
import { Card } from '../pages/portal-frame.js'
import { BuyerSchema, viewBuyer } from './buyer-schemas.js'
import { buyerInWords, labelOf } from './buyer-words.js'
import { type BuyerDeps, readBuyer } from './set-buyer.js'

export function buyerPart(deps: Pick<BuyerDeps, 'database'>): UserPart<BuyerDetails | null> {
  return {
    key: 'buyer',
    schema: BuyerSchema,
    load: ({ userId }) => readBuyer(deps, userId),
    view: viewBuyer,
    card: (pages, view, buyer) => buyer && <BuyerCard {...{ pages, view, buyer }} />,
  }
}

function BuyerCard({ pages, view, buyer }: { pages: ConsolePages; view: View; buyer: BuyerDetails }) {
  const say = sayFor(pages.seller.identity, view.locale)
  const missing = missingDetails(buyer).map((field) => labelOf(say, buyerField(field)))
  const lacks = missing.length === 0 ? null : missing.join(view.locale === 'ar' ? '، ' : ', ')
  return (
    <Card id="buyer" title={say('buyerTitle')}>
      <Facts facts={[...buyerInWords(say, buyer), [say('buyerLacks'), lacks]]} />
    </Card>
  )
}
