// An operator reads a receipt, by API and in the console, where links open either form in another tab. Each
// reading is in the audit trail.
import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { fileSchema } from '../acts/descriptions.js'
import { reading } from '../acts/reading.js'
import { sendUserFile } from '../acts/send-file.js'
import { mayDo, type Operator, type Permission, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { checker, locale, query } from '../http/schemas.js'
import { requirePayment } from '../ledger/load.js'
import { findUserLocale } from '../ledger/users.sql.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { fromThisSite } from '../pages/console-view.js'
import { LinkButton } from '../pages/portal-frame.js'
import { WITHOUT_HEAD } from './documents.call.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'
import { RECEIPT_FORMS } from './render-receipt.js'

export type ReadReceiptDeps = ReceiptDeps & AuditDeps

export const READ_RECEIPT: Permission = {
  name: 'payment.read_receipt',
  roles: ['support', 'cashier', 'accountant'],
}

const PrintQuerySchema = query({
  form: Type.Optional(Type.Enum([...RECEIPT_FORMS], { description: '`a4` if absent' })),
  lang: Type.Optional(locale),
  number: Type.Optional(
    Type.String({
      maxLength: 50,
      description: 'The number of a later document, such as a credit note',
    }),
  ),
})

export const downloadReceipt = reading<ReadReceiptDeps>()({
  ...READ_RECEIPT,
  path: '/payments/:payment_id/receipt',
  operationId: 'downloadReceipt',
  summary: 'The receipt of a payment, as PDF',
  description: 'On A4, or on the roll of a printer at the counter. The language is `lang`, else the user’s.',
  params: Type.Object({ payment_id: Type.String({ maxLength: 100 }) }),
  query: PrintQuerySchema,
  refuses: ['payment_not_paid', 'busy', 'receipts_unavailable'],
  answer: fileSchema({ file: 'application/pdf', description: 'The receipt' }),
  command: { usage: 'payments receipt <payment>', isFile: 'new' },
  read: async (deps, { params: { payment_id: paymentId }, query, operator, reply }) =>
    sendReceipt(deps, reply, { ...query, paymentId, operator }),
})

interface PaymentParams {
  readonly payment_id: string
}

/** Serves the receipt to links of the console. */
export function receiptPage(app: App, pages: ConsolePages & ReadReceiptDeps): void {
  const check = checker<Static<typeof PrintQuerySchema>>(PrintQuerySchema)
  app.get<{ Params: PaymentParams }>(
    '/console/payments/:payment_id/receipt',
    {
      ...fromThisSite(pages, (of: PaymentParams) => addressOf('', 'payments', of.payment_id)),
      ...WITHOUT_HEAD,
    },
    (request, reply) => {
      const paymentId = request.params.payment_id
      const { operator } = pages.operatorsHere.of(request)
      return sendReceipt(pages, reply, { ...check(Object(request.query)), paymentId, operator })
    },
  )
}

/** Throws `not_found`, and what `askForReceipt` throws. */
async function sendReceipt(
  deps: ReadReceiptDeps,
  reply: FastifyReply,
  of: Static<typeof PrintQuerySchema> & { readonly paymentId: string; readonly operator: Operator },
): Promise<FastifyReply> {
  const { paymentId, form = 'a4', lang, number, operator } = of
  requireRole(operator, READ_RECEIPT)
  const { userId } = (await requirePayment(deps, paymentId)).payment
  const wished = lang ?? (await findUserLocale(deps.database, userId)) ?? 'ar'
  const wish = { userId, paymentId, number, locale: wished, form }
  const receipt = await askForReceipt(deps, wish, 'operator')
  const after = { receipt: receipt.number, form }
  await recordAct(deps, { operator, act: READ_RECEIPT.name, reason: null }, { userId, paymentId, after })
  return sendUserFile(reply, 'application/pdf', receipt)
}

export function ReceiptLinks(of: { pages: ConsolePages; view: View; paymentId: string }) {
  const { pages, view, paymentId } = of
  if (!mayDo(view.session.operator, READ_RECEIPT)) return null
  const path = `${addressOf(pages.base, 'payments', paymentId)}/receipt`
  return (
    <>
      {RECEIPT_FORMS.map((form) => (
        <LinkButton href={`${path}?form=${form}`} label={view.say(`receipt_${form}`)} isBeside />
      ))}
    </>
  )
}
