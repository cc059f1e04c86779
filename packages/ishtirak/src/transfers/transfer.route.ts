// The forms about transfers: ask for one, and send a picture or PDF of it.
import { wantedIn } from '../checkout/portal-choice.js'
import { openPayment, type UpgradeDeps } from '../checkout/upgrade.js'
import type { App } from '../http/app.js'
import { fileFormRoute, openFileForm } from '../http/upload.js'
import type { UserCallDeps } from '../ledger/user-routes.js'
import { portalForm } from '../pages/portal-form.js'
import type { Pages } from '../pages/portal-frame.js'
import { type ProofDeps, receiveProof } from './proof.js'
import type { TransferTerms } from './settings.js'

export type TransferPagesDeps = UpgradeDeps &
  ProofDeps &
  Pick<UserCallDeps, 'admitUpload'> & { readonly transfers: Pick<TransferTerms, 'usualDelayMs'> | null }

export type TransferMethod = NonNullable<ReturnType<typeof transferMethod>>

/** Undefined: the seller takes no transfers. */
export function transferMethod({ methods }: Pick<TransferPagesDeps, 'methods'>) {
  return methods.all.find(({ accounts }) => accounts.length > 0)
}

export function transferRoutes(app: App, pages: Pages & TransferPagesDeps): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }

  portalForm(app, pages, { path: '/portal/transfer' }, async ({ by, field }) => {
    await openPayment(pages, { ...by, ...wantedIn(field), method: 'transfer' })
    return '/portal#transfer'
  })

  fileFormRoute(app, '/portal/payments/:payment_id/proof', hidden, async (request, reply) => {
    const session = users.of(request)
    pages.admitUpload(session.userId, reply)
    const { payment_id: paymentId } = request.params as { readonly payment_id: string }
    const { fields, file } = await openFileForm(request)
    request.body = fields
    reader.requireOwnForm(request, session)
    await receiveProof(pages, { userId: session.userId, paymentId }, file)
    const back = `${pages.base}/portal?transfer=${encodeURIComponent(paymentId)}#received`
    return reply.headers(pages.headers).redirect(back, 303)
  })
}
