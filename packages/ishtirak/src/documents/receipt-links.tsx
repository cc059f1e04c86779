// Links by which operators open and print a receipt in either form, in another tab.
import { mayDo } from '../core/role.js'
import { addressOf, type ConsolePages, type View } from '../pages/console-frame.js'
import { LinkButton } from '../pages/portal-frame.js'
import { READ_RECEIPT } from './read-receipt.js'
import { RECEIPT_FORMS } from './render-receipt.js'

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
