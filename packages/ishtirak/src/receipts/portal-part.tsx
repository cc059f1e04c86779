// What receipts bring to the portal: the link beside a payment, and what it leads to.
import { missingDetails } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { factureInForce, factureRefusal } from '../core/facture.js'
import { DAY, type Instant } from '../core/instant.js'
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import { papersOfPayments, type StoredPaper } from '../ledger/papers.sql.js'
import { hrefIn, OwnForm, senderOf } from '../pages/own-form.js'
import { Card } from '../pages/portal-frame.js'
import type { GivenEntry, PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { queryOf } from '../pages/reader.js'
import { askForFacture, type FactureDeps } from './factures.js'
import { sendPapers } from './papers.route.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'
import { PRINTS, sendReceipt } from './receipt.route.js'

export const receiptPages: PortalKinds<ReceiptDeps & FactureDeps> = {
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
      '/portal/receipts/:payment_id/facture',
      { schema: { hide: true }, onRequest: users.onRequest },
      async (request, reply) => {
        const { userId } = senderOf(pages, request)
        const paymentId = request.params.payment_id
        const { number } = await askForFacture(pages, { userId, paymentId })
        const address = `${pages.base}/portal/receipts/${paymentId}?number=${number}`
        return reply.headers(pages.headers).redirect(address, 303)
      },
    )
    app.get('/portal/papers', { schema: { hide: true }, onRequest: users.onRequest }, (request, reply) => {
      const session = users.of(request)
      const locale = reader.language(request, reply, session)
      const year = Number(queryOf(request, 'year'))
      if (!Number.isInteger(year)) throw new BillingError('not_found')
      return sendPapers(pages, reply, { userId: session.userId, year, locale })
    })
  },
  read: async ({ database }, { session: { userId }, overview: { buyer }, history }) => {
    // Who has given nothing has receipts alone.
    const ids = buyer ? history.payments.map(({ id }) => id) : []
    const issued = ids.length > 0 ? await papersOfPayments(database, userId, ids) : NONE
    return {
      line: (section, payment) => (
        <OfPayment {...{ section, payment, issued: issued.get(payment.id) ?? [] }} />
      ),
      paper: (section, time) => (
        <OfTime {...{ section, time, issued: (time.by === 'paid' && issued.get(time.id)) || [] }} />
      ),
      lists: (section) => <Papers {...section} />,
    }
  },
}

const NONE: ReadonlyMap<string, readonly StoredPaper[]> = new Map()

/** By the calendar only near the end of a year: twelve days by it are a fortieth of the page. */
function yearOf({ isoDay }: PartSection['pages']['formats'], at: Instant): string {
  const [early, late] = [at - DAY, at + DAY].map((near) => new Date(near).getUTCFullYear())
  return early === late ? String(late) : isoDay(at).slice(0, 4)
}

/** The years of the payments on this page, each in one file. */
function Papers({ pages, view, say }: PartSection) {
  const { formats, base } = pages
  const paid = view.history.payments.flatMap(({ paidAt }) => paidAt ?? [])
  const years = [...new Set(paid.map((at) => yearOf(formats, at)))]
  if (years.length === 0) return null
  return (
    <Card id="papers" title={say('papersTitle')}>
      <ul class="papers">
        {years.map((year) => (
          <li>
            <b safe>{year}</b>
            <a
              href={hrefIn(view.session, `${base}/portal/papers?year=${year}`)}
              aria-label={say('papersCsv', { year })}
            >
              CSV
            </a>
          </li>
        ))}
      </ul>
      {view.history.nextCursor === null ? null : (
        <p class="soft small" safe>
          {say('papersBounds')}
        </p>
      )}
    </Card>
  )
}

function OfPayment(of: { section: PartSection; payment: ShownPayment; issued: readonly StoredPaper[] }) {
  const { section, payment, issued } = of
  const status = publicStatusAt(payment, section.view.history.now)
  if (status !== 'paid' && status !== 'refunded') return null
  const at = payment.paidAt ?? payment.createdAt
  if (issued.length === 0) return <ReceiptLink section={section} paymentId={payment.id} at={at} />
  return (
    <div class="issued">
      {issued.map((paper) => (
        <PaperLink {...{ section, paper, paymentId: payment.id }} />
      ))}
      {mayAsk(section, payment, issued) && <AskForFacture section={section} paymentId={payment.id} />}
    </div>
  )
}

function mayAsk({ view }: PartSection, payment: ShownPayment, issued: readonly StoredPaper[]): boolean {
  const { buyer } = view.overview
  if (!buyer || missingDetails(buyer).length > 0) return false
  return factureInForce(issued) === null && factureRefusal(payment, issued) === null
}

function PaperLink(of: { section: PartSection; paper: StoredPaper; paymentId: string }) {
  const { section, paper, paymentId } = of
  const { pages, view, say } = section
  const address = `${pages.base}/portal/receipts/${paymentId}?number=${paper.number}`
  const what = say(paper.kind)
  return (
    <a href={hrefIn(view.session, address)} aria-label={say('paperOf', { what, number: paper.number })} safe>
      {what}
    </a>
  )
}

function AskForFacture({ section, paymentId }: { section: PartSection; paymentId: string }) {
  const { pages, view, say } = section
  return (
    <OwnForm session={view.session} action={`${pages.base}/portal/receipts/${paymentId}/facture`}>
      <button type="submit" safe>
        {say('askForFacture')}
      </button>
    </OwnForm>
  )
}

/** The paper in force: the newest that is no avoir. */
function OfTime(of: { section: PartSection; time: GivenEntry; issued: readonly StoredPaper[] }) {
  const { section, issued } = of
  const { by, id, start } = of.time
  if (by !== 'paid') return null
  const paper = issued.findLast(({ kind }) => kind === 'facture')
  if (paper) return <PaperLink {...{ section, paper, paymentId: id }} />
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
