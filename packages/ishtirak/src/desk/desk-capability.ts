// The desk as a capability: cash and cheque, their acts and pages, and the drawer.
import type { Capability } from '../acts/capability.js'
import type { Seller } from '../core/receipt.js'
import { plainReference } from '../core/reference.js'
import type { BringsMethods } from '../ledger/method.js'
import type { ConsoleDeps } from '../overview/all-pages.js'
import { addressOf } from '../pages/console-frame.js'
import { counterRoutes } from './counter-page.js'
import { createDesk } from './desk.js'
import type { RecordDeps } from './desk-sale.js'
import { confirmDrawer, countDrawer, type DrawerDeps, showDrawer } from './drawer.js'
import { COUNTED } from './drawer.sql.js'
import { drawerRoute } from './drawer-page.js'
import { recordPayment } from './record-payment.js'

export const desk: Capability<RecordDeps & DrawerDeps & ConsoleDeps> &
  BringsMethods<{ readonly seller: Seller }> = {
  name: 'desk',
  acts: [recordPayment, countDrawer, confirmDrawer],
  readings: [showDrawer],
  inbox: [
    {
      name: 'drawer_counted',
      place: 11,
      urgency: 'later',
      select: COUNTED,
      nextActs: ['drawer.confirm'],
      detailIs: 'the day and who counted',
      detail: ({ formats, wallClock }, { say, locale }, detail) => {
        const [day = '', name = ''] = detail.split(/ (.*)/s)
        return say('drawerCountBy', { name, day: formats.day(wallClock.dayOf(day)?.from ?? 0, locale) })
      },
      path: (base, { id }) => addressOf(base, 'drawer', id),
    },
  ],
  helpHeading: 'Money:',
  commandGroups: { drawer: 'The drawer of a day: what must be there, and closing it by two' },
  console: (app, pages) => {
    counterRoutes(app, pages)
    drawerRoute(app, pages)
  },
  sections: [{ key: 'counter', path: '/console/counter', order: 2 }],
  readReference: plainReference,
  methods: ({ seller }, { live }) => createDesk({ live, takesCash: seller.stampDutyTerms !== null }),
}
