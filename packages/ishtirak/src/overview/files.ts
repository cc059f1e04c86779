// Everything known of a payment or a user, as acts on them answer it and their pages ask for it.

import type { Catalogue } from '../core/plan.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import type { SubjectDeps } from '../ledger/subjects.js'
import type { Inbox } from './inbox.sql.js'
import { type PaymentFile, showPayment, showUser, type UserFile } from './read-files.js'
import { paymentFileSchema, userFileSchema } from './schemas.js'
import { type ViewDeps, viewedNow, viewPaymentFile, viewUserFile } from './views.js'

export function operatorFiles(
  deps: ViewDeps & ChangeDeps & { readonly catalogue: Catalogue; readonly inbox: Inbox },
): SubjectDeps['files'] {
  return {
    payment: {
      get schema() {
        return paymentFileSchema(deps.fileParts)
      },
      read: (id) => showPayment(deps, id),
      view: (file: PaymentFile) => viewPaymentFile(file, viewedNow(deps)),
    },
    user: {
      get schema() {
        return userFileSchema(deps.catalogue.limits, deps.inbox.kinds, deps.fileParts)
      },
      read: (id) => showUser(deps, id),
      view: (file: UserFile) => viewUserFile(file, viewedNow(deps)),
    },
  }
}
