// What receipts bring to the portal: the link beside a payment, and what it leads to.
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import { hrefIn } from '../pages/own-form.js'
import type { PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'
import { sendReceipt } from './receipt.route.js'

export const receiptPages: PortalKinds<ReceiptDeps> = {
  routes: (app, pages) => {
    const { reader, users } = pages
    app.get<{ Params: { payment_id: string } }>(
      '/portal/receipts/:payment_id',
      { schema: { hide: true }, onRequest: users.onRequest },
      async (request, reply) => {
        const session = users.of(request)
        const locale = reader.language(request, reply, session)
        const { userId } = session
        const paymentId = request.params.payment_id
        return sendReceipt(reply, await askForReceipt(pages, { userId, paymentId, locale }))
      },
    )
  },
  read: async () => ({ line: ReceiptLink }),
}

function ReceiptLink({ pages, view, say }: PartSection, payment: ShownPayment) {
  const status = publicStatusAt(payment, view.history.now)
  if (status !== 'paid' && status !== 'refunded') return null
  const date = pages.formats.day(payment.paidAt ?? payment.createdAt, view.locale)
  return (
    <a
      href={hrefIn(view.session, `${pages.base}/portal/receipts/${payment.id}`)}
      aria-label={say('receiptOf', { date })}
      safe
    >
      {say('receipt')}
    </a>
  )
}
