// Buyers' details as a capability: calls, the portal page, an act, and a part of the user's page.
import type { ActDeps } from '../acts/act.js'
import type { Capability } from '../acts/capability.js'
import type { UserPart } from '../acts/file-parts.js'
import type { BuyerDetails } from '../core/buyer-details.js'
import { sayFor } from '../i18n/messages.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import { findUser } from '../ledger/users.sql.js'
import { Facts } from '../pages/console-parts.js'
import { Card } from '../pages/parts.js'
import { buyerCalls } from './buyer.call.js'
import { BuyerSchema, viewBuyer } from './buyer-schemas.js'
import { buyerInWords, lacksInWords } from './buyer-words.js'
import { buyerPages } from './portal-part.js'
import { type BuyerDeps, correctBuyer } from './set-buyer.js'

export const buyers: Capability<BuyerDeps & ActDeps & ChangeDeps & SubjectDeps> = {
  name: 'buyers',
  acts: [correctBuyer],
  userParts: (deps) => [buyerPart(deps)],
  calls: buyerCalls,
  portal: buyerPages,
}

const buyerPart = ({ database }: BuyerDeps): UserPart<BuyerDetails | null> => ({
  key: 'buyer',
  schema: BuyerSchema,
  load: async ({ userId }) => (await findUser(database, userId))?.buyer ?? null,
  view: viewBuyer,
  card: (pages, view, buyer) => {
    if (!buyer) return null
    const say = sayFor(pages.seller.identity, view.locale)
    const lacks = lacksInWords(say, view.locale, buyer)
    return (
      <Card id="buyer" title={say('buyerTitle')}>
        <Facts facts={[...buyerInWords(say, buyer), [say('buyerLacks'), lacks]]} />
      </Card>
    )
  },
})
