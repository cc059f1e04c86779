// The ledger as a capability: the operators' acts on booked payments.
import type { Capability } from '../acts/capability.js'
import type { ChangeDeps } from './change-user.js'
import { endAccess } from './end.js'
import { PAYMENTS_WAITING } from './inbox.js'
import { keepPayment } from './keep.js'
import { refund } from './refund.js'
import type { SubjectDeps } from './subjects.js'

export const ledger: Capability<ChangeDeps & SubjectDeps> = {
  name: 'ledger',
  acts: [refund, keepPayment, endAccess],
  commandGroups: {
    payments: 'Look at payments, and act on one',
    users: 'Look at a user, grant days, end their access',
  },
  inbox: PAYMENTS_WAITING,
  events: [
    'subscription.activated',
    'subscription.renewed',
    'subscription.changed',
    'subscription.canceled',
    'payment.paid',
    'payment.failed',
    'payment.review',
    'payment.refunded',
  ],
}
