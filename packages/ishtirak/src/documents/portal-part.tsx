// What receipts bring to the portal: the link beside a payment, and what it leads to.
import { sendUserFile } from '../acts/send-file.js'
import { missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { DAY, type Instant } from '../core/instant.js'
import { invoiceInForce, invoiceRefusal } from '../core/invoice.js'
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import { documentsOfPayments, type StoredDocument } from '../ledger/documents.sql.js'
import { hrefIn, OwnForm, senderOf } from '../pages/own-form.js'
import { Card } from '../pages/portal-frame.js'
import type { GivenEntry, PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { queryOf } from '../pages/reader.js'
import { fileOfYear } from './documents-of-year.call.js'
import { askForInvoice, type InvoiceDeps } from './invoices.js'
import { PRINTS, sendReceipt } from './receipt.call.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'

export const receiptPages: PortalKinds<ReceiptDeps & InvoiceDeps> = {
  routes: (app, pages) => {
    const { reader, users } = pages
    app.get<{ Params: { payment_id: string } }>(
      '/portal/receipts/:payment_id',
      { ...PRINTS, schema: { hide: true }, onRequest: users.onRequest },
      async (request, reply) => {
        const session = users.of(request)
        const locale = reader.language(request, reply, session)
        const { userId } = session
        const paymentId = request.params.payment_id
        const number = queryOf(request, 'number') ?? undefined
        return sendReceipt(reply, await askForReceipt(pages, { userId, paymentId, number, locale }))
      },
    )
    app.post<{ Params: { payment_id: string } }>(
      '/portal/receipts/:payment_id/invoice',
      { schema: { hide: true }, onRequest: users.onRequest },
      async (request, reply) => {
        const { userId } = senderOf(pages, request)
        const paymentId = request.params.payment_id
        const { number } = await askForInvoice(pages, { userId, paymentId })
        const address = `${pages.base}/portal/receipts/${paymentId}?number=${number}`
        return reply.headers(pages.headers).redirect(address, 303)
      },
    )
    app.get(
      '/portal/documents',
      { schema: { hide: true }, onRequest: users.onRequest },
      async (request, reply) => {
        const session = users.of(request)
        const locale = reader.language(request, reply, session)
        const year = Number(queryOf(request, 'year'))
        if (!Number.isInteger(year)) throw new BillingError('not_found')
        return sendUserFile(
          reply,
          'text/csv',
          await fileOfYear(pages, { userId: session.userId, year, locale }),
        )
      },
    )
  },
  read: async ({ database }, { session: { userId }, overview: { buyer }, history }) => {
    // Who has given nothing has receipts alone.
    const ids = buyer ? history.payments.map(({ id }) => id) : []
    const issued = ids.length > 0 ? await documentsOfPayments(database, userId, ids) : NONE
    return {
      line: (section, payment) => (
        <OfPayment {...{ section, payment, issued: issued.get(payment.id) ?? [] }} />
      ),
      document: (section, time) => (
        <OfTime {...{ section, time, issued: (time.by === 'paid' && issued.get(time.id)) || [] }} />
      ),
      lists: (section) => <Documents {...section} />,
    }
  },
}

const NONE: ReadonlyMap<string, readonly StoredDocument[]> = new Map()

/** By the calendar only near the end of a year: twelve days by it are a fortieth of the page. */
function yearOf({ isoDay }: PartSection['pages']['formats'], at: Instant): string {
  const [early, late] = [at - DAY, at + DAY].map((near) => new Date(near).getUTCFullYear())
  return early === late ? String(late) : isoDay(at).slice(0, 4)
}

/** The years of the payments on this page, each in one file. */
function Documents({ pages, view, say }: PartSection) {
  const { formats, base } = pages
  const paid = view.history.payments.flatMap(({ paidAt }) => paidAt ?? [])
  const years = [...new Set(paid.map((at) => yearOf(formats, at)))]
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
      {view.history.nextCursor === null ? null : (
        <p class="soft small" safe>
          {say('documentsBounds')}
        </p>
      )}
    </Card>
  )
}

function OfPayment(of: { section: PartSection; payment: ShownPayment; issued: readonly StoredDocument[] }) {
  const { section, payment, issued } = of
  const status = publicStatusAt(payment, section.view.history.now)
  if (status !== 'paid' && status !== 'refunded') return null
  const at = payment.paidAt ?? payment.createdAt
  if (issued.length === 0) return <ReceiptLink section={section} paymentId={payment.id} at={at} />
  return (
    <div class="issued">
      {issued.map((document) => (
        <DocumentLink {...{ section, document, paymentId: payment.id }} />
      ))}
      {mayAsk(section, payment, issued) && <AskForInvoice section={section} paymentId={payment.id} />}
    </div>
  )
}

function mayAsk({ view }: PartSection, payment: ShownPayment, issued: readonly StoredDocument[]): boolean {
  const { buyer } = view.overview
  if (!buyer || missingDetails(buyer).length > 0) return false
  return invoiceInForce(issued) === null && invoiceRefusal(payment, issued) === null
}

function DocumentLink(of: { section: PartSection; document: StoredDocument; paymentId: string }) {
  const { section, document, paymentId } = of
  const { pages, view, say } = section
  const address = `${pages.base}/portal/receipts/${paymentId}?number=${document.number}`
  const what = say(document.kind)
  return (
    <a
      href={hrefIn(view.session, address)}
      aria-label={say('documentOf', { what, number: document.number })}
      safe
    >
      {what}
    </a>
  )
}

function AskForInvoice({ section, paymentId }: { section: PartSection; paymentId: string }) {
  const { pages, view, say } = section
  return (
    <OwnForm session={view.session} action={`${pages.base}/portal/receipts/${paymentId}/invoice`}>
      <button type="submit" safe>
        {say('askForInvoice')}
      </button>
    </OwnForm>
  )
}

/** The document in force: the newest that is no credit note. */
function OfTime(of: { section: PartSection; time: GivenEntry; issued: readonly StoredDocument[] }) {
  const { section, issued } = of
  const { by, id, start } = of.time
  if (by !== 'paid') return null
  const document = issued.findLast(({ kind }) => kind === 'invoice')
  if (document) return <DocumentLink {...{ section, document, paymentId: id }} />
  return <ReceiptLink section={section} paymentId={id} at={start} />
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
