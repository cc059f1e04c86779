// What the desk brings to the service.
import type { Capability } from '../acts/capability.js'
import type { Seller } from '../core/receipt.js'
import { plainReference } from '../core/reference.js'
import type { BringsMethods } from '../ledger/method.js'
import { createDesk } from './desk.js'
import type { RecordDeps } from './record.js'
import { recordPayment } from './record-act.js'

export const desk: Capability<RecordDeps> & BringsMethods<{ readonly seller: Seller }> = {
  name: 'desk',
  acts: [recordPayment],
  readReference: plainReference,
  methods: ({ seller }, { live }) => createDesk({ live, takesCash: seller.stampDutyTerms !== null }),
}
