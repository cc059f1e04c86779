// Documents on the portal: the links beside payments, the files behind them, and the request for an invoice.

import { sendUserFile } from '../acts/files.js'
import { missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { invoiceInForce, invoiceRefusal } from '../core/invoice.js'
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import type { ChangeDeps } from '../ledger/change-user.js'
import { documentsOfPayments, type StoredDocument } from '../ledger/documents.sql.js'
import { Card, hrefIn, OwnForm, P } from '../pages/parts.js'
import { portalForm } from '../pages/portal-form.js'
import type { PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { queryOf } from '../pages/reader.js'
import { WITHOUT_HEAD } from './documents.call.js'
import { fileOfYear } from './documents-of-year.js'
import { askForInvoice } from './invoices.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'

interface OfPath {
  readonly Params: { readonly payment_id: string }
}

export const receiptPages: PortalKinds<ReceiptDeps & ChangeDeps> = {
  routes: (app, pages) => {
    const { reader, users } = pages
    const hidden = { schema: { hide: true }, onRequest: users.onRequest }
    const path = '/portal/receipts/:payment_id'
    app.get<OfPath>(path, { ...WITHOUT_HEAD, ...hidden }, async (request, reply) => {
      const session = users.of(request)
      const { userId } = session
      const number = queryOf(request, 'number') ?? undefined
      const of = { userId, paymentId: request.params.payment_id, number }
      const locale = reader.language(request, reply, session)
      return sendUserFile(reply, 'application/pdf', await askForReceipt(pages, { ...of, locale }))
    })
    portalForm(app, pages, { path: `${path}/invoice` }, async ({ session, params: { payment_id = '' } }) => {
      const { number } = await askForInvoice(pages, { userId: session.userId, paymentId: payment_id })
      return `/portal/receipts/${payment_id}?number=${number}`
    })
    app.get('/portal/documents', hidden, async (request, reply) => {
      const session = users.of(request)
      const locale = reader.language(request, reply, session)
      const year = Number(queryOf(request, 'year'))
      if (!Number.isInteger(year)) throw new BillingError('not_found')
      return sendUserFile(reply, 'text/csv', await fileOfYear(pages, { ...session, year, locale }))
    })
  },
  read: async ({ database }, { session: { userId }, overview: { buyer }, history }) => {
    // Users without details have only receipts.
    const ids = buyer ? history.payments.map(({ id }) => id) : []
    const issued = ids.length > 0 ? await documentsOfPayments(database, userId, ids) : null
    return {
      line: (section, payment) => (
        <OfPayment {...{ section, payment, issued: issued?.get(payment.id) ?? [] }} />
      ),
      document: (section, time) => {
        if (time.by !== 'paid') return null
        // The document in force: the newest that is not a credit note.
        const document = issued?.get(time.id)?.findLast(({ kind }) => kind === 'invoice')
        return <DocumentLink {...{ section, document, paymentId: time.id, at: time.start }} />
      },
      lists: (section) => <Documents {...section} />,
    }
  },
}

function Documents({ pages, view, say }: PartSection) {
  const { formats, base } = pages
  const paid = view.history.payments.flatMap(({ paidAt }) => paidAt ?? [])
  const years = [...new Set(paid.map((at) => formats.isoDay(at).slice(0, 4)))]
  if (years.length === 0) return null
  return (
    <Card id="documents" title={say('documentsTitle')}>
      <ul class="documents">
        {years.map((year) => (
          <li>
            <b safe>{year}</b>
            <a
              href={hrefIn(view.session, `${base}/portal/documents?year=${year}`)}
              aria-label={say('documentsCsv', { year })}
            >
              CSV
            </a>
          </li>
        ))}
      </ul>
      {view.history.nextCursor === null ? null : <P class="soft small">{say('documentsBounds')}</P>}
    </Card>
  )
}

/** The documents of a payment, in order, with a button that asks for an invoice if it may have one. */
function OfPayment(of: {
  readonly section: PartSection
  readonly payment: ShownPayment
  readonly issued: readonly StoredDocument[]
}) {
  const { section, payment, issued } = of
  const { pages, view, say } = section
  const { id: paymentId, paidAt, createdAt } = payment
  const { buyer } = view.overview
  const status = publicStatusAt(payment, view.history.now)
  if (status !== 'paid' && status !== 'refunded') return null
  if (issued.length === 0) return <DocumentLink {...{ section, paymentId, at: paidAt ?? createdAt }} />
  const isWhole = buyer !== null && missingDetails(buyer).length === 0
  const mayAsk = isWhole && invoiceInForce(issued) === null && invoiceRefusal(payment, issued) === null
  return (
    <div class="issued">
      {issued.map((document) => (
        <DocumentLink {...{ section, document, paymentId, at: createdAt, isNumbered: issued.length > 1 }} />
      ))}
      {mayAsk && (
        <OwnForm session={view.session} action={`${pages.base}/portal/receipts/${paymentId}/invoice`}>
          <button type="submit" safe>
            {say('askForInvoice')}
          </button>
        </OwnForm>
      )}
    </div>
  )
}

/** Without `document` it links to the receipt alone, which `at` tells from others on the page. */
function DocumentLink(of: {
  readonly section: PartSection
  readonly paymentId: string
  readonly at: Instant
  readonly document?: StoredDocument | undefined
  /** Shows the number too: the payment has several documents. */
  readonly isNumbered?: boolean
}) {
  const { section, paymentId, at, document, isNumbered = false } = of
  const { pages, view, say } = section
  const path = `${pages.base}/portal/receipts/${paymentId}`
  const what = say(document?.kind ?? 'receipt')
  const label = document
    ? say('documentOf', { what, number: document.number })
    : say('receiptOf', { date: pages.formats.day(at, view.locale) })
  return (
    <a
      href={hrefIn(view.session, document ? `${path}?number=${document.number}` : path)}
      aria-label={label}
      safe
    >
      {isNumbered ? label : what}
    </a>
  )
}
