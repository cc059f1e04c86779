// An operator reads a receipt, by API or in the console. Each reading is in the audit trail.
import { Type } from 'typebox'
import { type AuditDeps, recordAct } from '../acts/audit.sql.js'
import { fileSchema, sendUserFile } from '../acts/files.js'
import { reading } from '../acts/reading.js'
import { mayDo, type Permission } from '../core/role.js'
import { locale, query } from '../http/schemas.js'
import { requirePayment } from '../ledger/load.js'
import { findUserLocale } from '../ledger/users.sql.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { LinkButton } from '../pages/parts.js'
import { askForReceipt, type ReceiptDeps } from './receipt.js'
import { RECEIPT_FORMS } from './render-receipt.js'

export type ReadReceiptDeps = ReceiptDeps & AuditDeps

export const READ_RECEIPT: Permission = {
  name: 'payment.read_receipt',
  roles: ['support', 'cashier', 'accountant'],
}

export const downloadReceipt = reading<ReadReceiptDeps>()({
  ...READ_RECEIPT,
  path: '/payments/:payment_id/receipt',
  operationId: 'downloadReceipt',
  summary: 'The receipt of a payment, as PDF',
  description: 'On A4, or on the roll of a printer at the counter. The language is `lang`, else the user’s.',
  params: Type.Object({ payment_id: Type.String({ maxLength: 100 }) }),
  query: query({
    form: Type.Optional(Type.Enum([...RECEIPT_FORMS], { description: '`a4` if absent' })),
    lang: Type.Optional(locale),
    number: Type.Optional(
      Type.String({ maxLength: 50, description: 'The number of a later document, such as a credit note' }),
    ),
  }),
  refuses: ['payment_not_paid', 'busy', 'receipts_unavailable'],
  answer: fileSchema({ file: 'application/pdf', description: 'The receipt' }),
  command: { usage: 'payments receipt <payment>', isFile: 'new' },
  linkedOn: ({ params }) => addressOf('', 'payments', params.payment_id),
  read: async (deps, { params: { payment_id: paymentId }, query, operator, reply }) => {
    const { form = 'a4', lang, number } = query
    const { userId } = (await requirePayment(deps, paymentId)).payment
    const wished = lang ?? (await findUserLocale(deps.database, userId)) ?? 'ar'
    const wish = { userId, paymentId, number, locale: wished, form }
    const receipt = await askForReceipt(deps, wish, 'operator')
    const after = { receipt: receipt.number, form }
    await recordAct(deps, { operator, act: READ_RECEIPT.name, reason: null }, { userId, paymentId, after })
    return sendUserFile(reply, 'application/pdf', receipt)
  },
})

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
