// The capabilities of the service, in the order in which pages show them. Without its line, a capability
// leaves no trace.

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
import './texts.js'

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
