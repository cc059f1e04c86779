// What receipts bring to the portal: the link beside a payment, and what it leads to.
import type { Instant } from '../core/instant.js'
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import { hrefIn } from '../pages/own-form.js'
import type { GivenEntry, PartSection, PortalKinds } from '../pages/portal-kinds.js'
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
  read: async () => ({ line: OfPayment, paper: OfTime }),
}

function OfPayment(section: PartSection, payment: ShownPayment) {
  const status = publicStatusAt(payment, section.view.history.now)
  if (status !== 'paid' && status !== 'refunded') return null
  return <ReceiptLink section={section} paymentId={payment.id} at={payment.paidAt ?? payment.createdAt} />
}

function OfTime(section: PartSection, { by, id, start }: GivenEntry) {
  return by === 'paid' ? <ReceiptLink section={section} paymentId={id} at={start} /> : null
}

/** `at`: what tells it from the others on the page. */
function ReceiptLink(of: { section: PartSection; paymentId: string; at: Instant }) {
  const { pages, view, say } = of.section
  return (
    <a
      href={hrefIn(view.session, `${pages.base}/portal/receipts/${of.paymentId}`)}
      aria-label={say('receiptOf', { date: pages.formats.day(of.at, view.locale) })}
      safe
    >
      {say('receipt')}
    </a>
  )
}
