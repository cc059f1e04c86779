// The buyer's details among everything known of a user.
import type { UserPart } from '../acts/file-parts.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import { sayFor } from '../i18n/messages.js'
import { findUser } from '../ledger/users.sql.js'
import { Facts } from '../pages/console-frame.js'
import { Card } from '../pages/portal-frame.js'
import { BuyerSchema, viewBuyer } from './buyer-schemas.js'
import { buyerInWords, lacksInWords } from './buyer-words.js'
import type { BuyerDeps } from './set-buyer.js'

export const buyerPart = ({ database }: BuyerDeps): UserPart<BuyerDetails | null> => ({
  key: 'buyer',
  schema: BuyerSchema,
  load: async ({ userId }) => (await findUser(database, userId))?.buyer ?? null,
  view: viewBuyer,
  card: (pages, view, buyer) => {
    const say = sayFor(pages.seller.identity, view.locale)
    return (
      buyer && (
        <Card id="buyer" title={say('buyerTitle')}>
          <Facts
            facts={[...buyerInWords(say, buyer), [say('buyerLacks'), lacksInWords(say, view.locale, buyer)]]}
          />
        </Card>
      )
    )
  },
})
