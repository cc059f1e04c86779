// A payment in the console, and the acts on it: a page that asks once more, then the act itself.

import type { FastifyReply } from 'fastify'
import { actOf, actOnce, byOf, isAsShown, orAgain, typedIn } from '../acts/act-form.js'
import { actPage, type SentForm } from '../acts/act-page.js'
import { BillingError } from '../core/error.js'
import { plainName } from '../core/name.js'
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { loadPayment } from '../ledger/load.js'
import { showPayment } from '../overview/acts.js'
import type { AllPages } from '../overview/all-pages.js'
import { sendProof } from '../overview/operator.route.js'
import type { PaymentAct, Shown } from '../overview/payment-act.js'
import { noticeIn } from '../overview/trail.js'
import { addressOf, goTo, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { isFromAnotherSite } from '../pages/reader.js'
import { downloadProof } from '../transfers/proofs.js'
import { PAYMENT_ACT_NAMES, PAYMENT_ACTS, type PaymentActName } from './payment-acts.js'
import { paymentPage } from './payment-page.js'

interface Params {
  readonly payment_id: string
  readonly act: string
}

export function paymentRoutes(app: App, pages: AllPages): void {
  const hidden = forOperators(pages)

  app.get<{ Params: Params }>('/console/payments/:payment_id', hidden, async (request, reply) => {
    const file = await showPayment(pages, request.params.payment_id)
    const view = viewOf(pages, request, reply)
    return sendPage(pages, reply, paymentPage(pages, view, file, noticeIn(request)))
  })

  app.get<{ Params: { payment_id: string; n: string } }>(
    '/console/payments/:payment_id/proofs/:n',
    hidden,
    async (request, reply) => {
      const { payment_id: paymentId, n } = request.params
      const { operator } = pages.operatorsHere.of(request)
      // Each reading is in the audit trail: another site does not read in an operator's name.
      if (isFromAnotherSite(request)) return goTo(pages, reply, addressOf('', 'payments', paymentId))
      return sendProof(reply, await downloadProof(pages, { paymentId, n: Number(n), operator }))
    },
  )

  app.get<{ Params: Params }>('/console/payments/:payment_id/:act', hidden, async (request, reply) => {
    const { payment_id: paymentId, act } = request.params
    const name = actOf(PAYMENT_ACT_NAMES, act)
    return sendAskPage(pages, viewOf(pages, request, reply), reply, { paymentId, name, sent: null })
  })

  app.post<{ Params: Params }>('/console/payments/:payment_id/:act', hidden, async (request, reply) => {
    const { payment_id: paymentId, act } = request.params
    const name = actOf(PAYMENT_ACT_NAMES, act)
    const { run, isReasonRequired, fieldsOf }: PaymentAct = PAYMENT_ACTS[name]
    return orAgain(
      async () => {
        const by = byOf(pages, request, isReasonRequired)
        requireRole(by.operator, PAYMENT_ACTS[name].act)
        if (fieldsOf && !isAsShown(request)) throw new BillingError('validation_failed')
        const { userId } = (await loadPayment(pages, paymentId)).payment
        const about = { userId, path: addressOf(pages.base, 'payments', paymentId) }
        return actOnce(pages, reply, about, by, () => run(pages, paymentId, by, typedIn(request)))
      },
      async (problems) => {
        const view = viewOf(pages, request, reply)
        const sent = { typed: typedIn(request), problems }
        return sendAskPage(pages, view, reply.code(422), { paymentId, name, sent })
      },
    )
  })
}

/** Where the payment is no longer such that this can be done, the payment is shown. */
async function sendAskPage(
  pages: AllPages,
  view: View,
  reply: FastifyReply,
  of: { readonly paymentId: string; readonly name: PaymentActName; readonly sent: SentForm | null },
): Promise<FastifyReply> {
  const { paymentId, name, sent } = of
  const act: PaymentAct = PAYMENT_ACTS[name]
  requireRole(view.session.operator, act.act)
  const file = await showPayment(pages, paymentId)
  const backPath = addressOf(pages.base, 'payments', paymentId)
  if (!act.isOffered(file)) return reply.headers(pages.headers).redirect(`${backPath}?changed=1`, 303)
  const { say } = view
  const fields = (act.fieldsOf?.(pages, view, file) ?? []).map((field) => ({
    ...field,
    value: sent?.typed[field.name] ?? field.value,
  }))
  const typed = Object.fromEntries(fields.map(({ name: field, value }) => [field, value]))
  const { problems, ...shown } = await orProblems(() => act.show(pages, view, paymentId, typed))
  return sendPage(
    pages,
    reply,
    actPage(pages, view, {
      title: say(`act_${name}`),
      about: `${plainName(file.user.name ?? file.user.email ?? file.payment.userId)} · ${paymentId}`,
      text: say(`text_${name}`),
      path: `${backPath}/${name}`,
      backPath,
      isReasonRequired: act.isReasonRequired,
      ...(act.reasonKey && { reasonLabel: say(act.reasonKey) }),
      fields,
      sent: sent && { ...sent, problems: [...sent.problems, ...problems] },
      ...shown,
    }),
  )
}

/** Of figures that cannot be right nothing is shown: they are asked for again. */
async function orProblems(show: () => Promise<Shown>): Promise<Shown & Pick<SentForm, 'problems'>> {
  try {
    return { ...(await show()), problems: [] }
  } catch (error) {
    const problems = problemsOf(error)
    if (problems.length === 0) throw error
    return { version: 0, changes: [], problems }
  }
}

/** A second operator who says something else than the first one is wrong about one of the figures. */
function problemsOf(error: unknown): SentForm['problems'] {
  if (!(error instanceof BillingError)) return []
  if (error.extra.approved_amount === undefined) return error.problems
  return ['/amount', '/payment_method'].map((pointer) => ({ pointer, code: 'not_allowed' as const }))
}
