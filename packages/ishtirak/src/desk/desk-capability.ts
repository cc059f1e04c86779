// What the desk brings to the service.
import type { Capability } from '../acts/capability.js'
import type { Seller } from '../core/receipt.js'
import type { BringsMethods } from '../ledger/method.js'
import { createDesk } from './desk.js'

export const desk: Capability<unknown> & BringsMethods<{ readonly seller: Seller }> = {
  name: 'desk',
  methods: ({ seller }, { live }) => createDesk({ live, takesCash: seller.stampDutyTerms !== null }),
}
