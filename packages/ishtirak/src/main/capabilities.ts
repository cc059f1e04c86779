// The capabilities of the service, in the order in which pages show them. Without its line, a capability
// leaves no trace. Each folder with texts has a line below, so that the compiler checks every key.

import { access } from '../access/access.js'
import { backup } from '../backup/backup-capability.js'
import { balance } from '../balance/balance-capability.js'
import { bankStatements } from '../bank-statements/bank-statements.js'
import { books } from '../books/books.js'
import { bulk } from '../bulk/bulk.js'
import { buyers } from '../buyers/buyers.js'
import { checkout } from '../checkout/checkout.js'
import { codes } from '../codes/codes.js'
import { desk } from '../desk/desk-capability.js'
import { documents } from '../documents/documents.js'
import { events } from '../events/events.js'
import { grants } from '../grants/grants.js'
import { ledger } from '../ledger/ledger.js'
import { limits } from '../limits/limits.js'
import { mail } from '../mail/mail.js'
import { overview } from '../overview/overview.js'
import { portal } from '../portal/portal.js'
import { privacy } from '../privacy/privacy.js'
import { proformas } from '../proformas/proformas.js'
import { reconciliation } from '../reconciliation/reconciliation.js'
import { seals } from '../seals/seals.js'
import { transfers } from '../transfers/transfers.js'

export const CAPABILITIES = [
  ledger,
  checkout,
  buyers,
  limits,
  events,
  mail,
  documents,
  transfers,
  proformas,
  bankStatements,
  desk,
  grants,
  codes,
  balance,
  books,
  seals,
  reconciliation,
  bulk,
  backup,
  privacy,
  access,
  overview,
  portal,
] as const

// `i18n/words.ts` reads the files themselves.
declare module '../i18n/words.js' {
  interface Texts {
    readonly access: typeof import('../access/words.en.json')
    readonly backup: typeof import('../backup/words.en.json')
    readonly balance: typeof import('../balance/words.en.json')
    readonly 'bank-statements': typeof import('../bank-statements/words.en.json')
    readonly books: typeof import('../books/words.en.json')
    readonly bulk: typeof import('../bulk/words.en.json')
    readonly buyers: typeof import('../buyers/words.en.json')
    readonly checkout: typeof import('../checkout/words.en.json')
    readonly codes: typeof import('../codes/words.en.json')
    readonly console: typeof import('../console/words.en.json')
    readonly desk: typeof import('../desk/words.en.json')
    readonly documents: typeof import('../documents/words.en.json')
    readonly events: typeof import('../events/words.en.json')
    readonly grants: typeof import('../grants/words.en.json')
    readonly ledger: typeof import('../ledger/words.en.json')
    readonly limits: typeof import('../limits/words.en.json')
    readonly mail: typeof import('../mail/words.en.json')
    readonly overview: typeof import('../overview/words.en.json')
    readonly portal: typeof import('../portal/words.en.json')
    readonly privacy: typeof import('../privacy/words.en.json')
    readonly proformas: typeof import('../proformas/words.en.json')
    readonly reconciliation: typeof import('../reconciliation/words.en.json')
    readonly seals: typeof import('../seals/words.en.json')
    readonly transfers: typeof import('../transfers/words.en.json')
  }
}
