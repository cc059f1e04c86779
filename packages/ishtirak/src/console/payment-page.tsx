// The page of a payment: its facts, its reports, and what operators did with it.
import { ActButtons, actsOffered, isOfferedOn, titleOf } from '../acts/act-links.js'
import { statusKey } from '../acts/changes.js'
import { recheck } from '../checkout/recheck.js'
import { plainName } from '../core/name.js'
import { publicMethodOf } from '../core/payment.js'
import { mayDo, rolesThatMay } from '../core/role.js'
import { READ_RECEIPT, ReceiptLinks } from '../documents/read-receipt.js'
import type { App } from '../http/app.js'
import { inList, inParts, paidForInWords } from '../i18n/formats.js'
import { instrumentName, planName } from '../i18n/messages.js'
import { paymentTitle, StatusBadge } from '../ledger/labels.js'
import { PAYMENT } from '../ledger/subjects.js'
import type { AllPages } from '../overview/all-pages.js'
import { nextInInbox } from '../overview/inbox.route.js'
import { type PaymentFile, showPayment } from '../overview/read-files.js'
import { BOOKING, NoticeOf, noticeIn, REFUSED, Trail, type TrailNotice } from '../overview/trail.js'
import { addressOf, renderConsole, roleName, type View } from '../pages/console-frame.js'
import { Facts, Hint, type LinkedFact, Table } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { codeInWords, reviewInWords } from '../pages/console-words.js'
import { Card } from '../pages/parts.js'
import { stateInWords } from './state-in-words.js'

/** The newest: with reasons of 500 letters the page is under 60 kB. */
const ACTS_SHOWN = 25

export function paymentRoutes(app: App, pages: AllPages): void {
  consoleRoute(app, pages, '/console/payments/:payment_id', async ({ view, request, params }) => {
    const file = await showPayment(pages, params.payment_id)
    const notice = noticeIn(request)
    const isTold = notice.isOfAct || notice.isChanged
    const next = isTold ? await nextInInbox(pages, view, file.payment.id) : null
    return paymentPage(pages, view, file, { notice, next })
  })
}

function paymentPage(
  pages: AllPages,
  view: View,
  file: PaymentFile,
  { notice, next }: { readonly notice: TrailNotice; readonly next: LinkedFact | null },
): string {
  const { payment } = file
  const isBooked = payment.status === 'paid' || payment.status === 'refunded'
  const saysState = [recheck.name, REFUSED, ...(isBooked ? [] : BOOKING)]
  const title = paymentTitle(pages.formats, view.locale, file)
  return renderConsole(pages, {
    ...view,
    title,
    safeContent: (
      <>
        <div class="heading">
          <h1>
            <bdi safe>{title}</bdi>
          </h1>
          <StatusBadge {...{ view, payment }} />
        </div>
        <NoticeOf
          {...{ view, notice, next }}
          acts={file.audit}
          state={({ act }) => (saysState.includes(act) ? stateInWords(pages, view, file) : null)}
        />
        <Card id="facts" title={view.say('payment')}>
          <Facts facts={factsOf(pages, view, file)} />
        </Card>
        <Acts {...{ pages, view, file }} />
        {pages.fileParts.payment.map(
          ({ key, card }) => card?.(pages, view, file.parts[key], payment) ?? null,
        )}
        <Reports {...{ pages, view, file }} />
        <Trail
          {...{ pages, view }}
          acts={file.audit.slice(-ACTS_SHOWN).toReversed()}
          isOpen={notice.isOfAct}
        />
      </>
    ),
  })
}

function Acts({ pages, view, file }: { pages: AllPages; view: View; file: PaymentFile }) {
  const offered = actsOffered(pages, view, { subject: PAYMENT, file, id: file.payment.id })
  const mayPrint = file.receipt !== null && mayDo(view.session.operator, READ_RECEIPT)
  const others = decidedByOthers(pages, view, file)
  if (offered.length === 0 && !mayPrint && others.length === 0) return null
  return (
    <Card id="acts" title={view.say('acts')}>
      <div class="actions">
        <ActButtons {...{ pages, view, offered }} />
        {mayPrint ? <ReceiptLinks {...{ pages, view }} paymentId={file.payment.id} /> : null}
      </div>
      {others.map((text) => (
        <Hint>{text}</Hint>
      ))}
    </Card>
  )
}

/** Names the acts that this operator's role does not allow, and the roles that do. */
function decidedByOthers(pages: AllPages, view: View, file: PaymentFile): readonly string[] {
  const acts = pages.acts.filter((act) => isOfferedOn(pages, act, PAYMENT, file))
  const byRoles = new Map<string, string[]>()
  for (const act of acts.filter((one) => !mayDo(view.session.operator, one))) {
    const roles = inList(
      rolesThatMay(act).map((role) => roleName(role, view.say)),
      view.locale,
    )
    byRoles.set(roles, [...(byRoles.get(roles) ?? []), titleOf(act, view)])
  }
  return [...byRoles].map(([roles, titles]) => view.say('decidedBy', { roles, acts: titles.join(' · ') }))
}

function Reports({ pages, view, file }: { pages: AllPages; view: View; file: PaymentFile }) {
  const { say } = view
  if (file.reports.length === 0) return null
  return (
    <Card id="reports" title={say('reports')}>
      <Table
        {...{ pages, view }}
        rows={file.reports}
        columns={[
          { head: 'when', text: ({ heardAt }) => view.moment(heardAt) },
          { head: 'source', text: ({ source }) => codeInWords(view, 'source', source) },
          { head: 'status', text: ({ status }) => say(statusKey(status)) },
          { head: 'amount', text: ({ amount }) => view.money(amount) },
          { head: 'outcome', text: ({ outcome }) => codeInWords(view, 'outcome', outcome) },
        ]}
      />
    </Card>
  )
}

function factsOf(pages: AllPages, view: View, { payment, user, receipt, parts }: PaymentFile) {
  const { locale, say, moment } = view
  const { periodStart: start, periodEnd: end, change, instrument } = payment
  const span = { start: moment(start) ?? '', end: moment(end) ?? '' }
  const linked = (page: string, id: string, text: string): LinkedFact => ({
    href: addressOf(pages.base, page, id),
    text,
  })
  return [
    [say('user'), linked('users', payment.userId, plainName(user.name ?? user.email ?? payment.userId))],
    [say('boughtByPerson'), payment.boughtBy],
    [say(payment.plan ? 'plan' : 'purpose'), paidForInWords(payment, locale)],
    // The unused part of what was paid for the plan before: `Pro · 1 000 DA`.
    [
      say('planBefore'),
      change && inParts([planName(change.from.name, locale), view.money(change.credit)], locale),
    ],
    [say('amount'), view.amountPaid(payment)],
    [
      say('method'),
      instrument === null
        ? codeInWords(view, 'method', publicMethodOf(payment.method))
        : instrumentName(instrument, locale),
    ],
    [say('created'), moment(payment.createdAt)],
    [say('paidAt'), moment(payment.paidAt)],
    [say('period'), start === null ? null : say('periodText', span)],
    [say('document'), receipt?.number ?? null],
    [say('poNumber'), payment.poNumber],
    [say(pages.methods.of(payment.method).checkoutName ?? 'checkout'), payment.checkoutId],
    ...pages.fileParts.payment.flatMap((part) => part.facts?.(pages, view, parts[part.key], payment) ?? []),
    [
      say('secondOf'),
      payment.secondOf === null ? null : linked('payments', payment.secondOf, say('toPayment')),
    ],
    [say('reviewDiffers'), reviewInWords(pages, view, payment)],
    [say('paymentId'), payment.id],
  ] as const
}
