// The buyer's details among everything known of a user.
import type { UserPart } from '../acts/file-parts.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import { sayFor } from '../i18n/messages.js'
import { type ConsolePages, Facts, type View } from '../pages/console-frame.js'
import { Card } from '../pages/portal-frame.js'
import { BuyerSchema, viewBuyer } from './buyer-schemas.js'
import { buyerInWords, lacksInWords } from './buyer-words.js'
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
  const lacks = lacksInWords(say, view.locale, buyer)
  return (
    <Card id="buyer" title={say('buyerTitle')}>
      <Facts facts={[...buyerInWords(say, buyer), [say('buyerLacks'), lacks]]} />
    </Card>
  )
}
