// A payment in the console.
import type { App } from '../http/app.js'
import type { AllPages } from '../overview/all-pages.js'
import { showPayment } from '../overview/read-files.js'
import { noticeIn } from '../overview/trail.js'
import { sendPage } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { paymentPage } from './payment-page.js'

export function paymentRoutes(app: App, pages: AllPages): void {
  app.get<{ Params: { payment_id: string } }>(
    '/console/payments/:payment_id',
    forOperators(pages),
    async (request, reply) => {
      const file = await showPayment(pages, request.params.payment_id)
      const view = viewOf(pages, request, reply)
      return sendPage(pages, reply, paymentPage(pages, view, file, noticeIn(request)))
    },
  )
}
