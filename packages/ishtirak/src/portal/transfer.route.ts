// The forms about transfers: ask for one, and send a picture or PDF of it.
import type { FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { uploadProof } from '../payments/transfer/proof.js'
import { listProofs } from '../payments/transfer/proof.sql.js'
import { openPayment } from '../payments/upgrade.js'
import type { Pages } from './frame.js'
import type { PortalTransfer, PortalView } from './portal-view.js'
import { wantedIn } from './reader.js'
import { openTransferIn, transferMethod } from './transfer-section.js'

export async function readTransfer(
  pages: Pages,
  view: Pick<PortalView, 'history' | 'session'>,
): Promise<PortalTransfer | null> {
  const payment = openTransferIn(pages, view)
  if (!payment) return null
  const { userId } = view.session
  return { payment, proofs: await listProofs(pages.database, { userId, paymentId: payment.id }) }
}

export function transferRoutes(app: App, pages: Pages): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }
  const back = `${pages.base}/portal#transfer`

  app.post('/portal/transfer', hidden, async (request, reply) => {
    const session = users.of(request)
    reader.requireOwnForm(request, session)
    const method = transferMethod(pages)?.name
    if (method === undefined) throw new BillingError('unknown_method')
    const { userId } = session
    const locale = reader.language(request, reply, session)
    await openPayment(pages, {
      user: { userId },
      ...wantedIn(request),
      method,
      locale,
      requestId: request.id,
    })
    return reply.headers(pages.headers).redirect(back, 303)
  })

  app.register(async (own) => {
    // Read below, in the bounds of a file.
    own.addContentTypeParser('multipart/form-data', (_request, _body, done) => done(null))
    own.post<{ Params: { payment_id: string } }>(
      '/portal/payments/:payment_id/proof',
      hidden,
      async (request, reply) => {
        const session = users.of(request)
        pages.admitUpload(session.userId, reply)
        await pages.uploads.receive(request.raw, async (body) => {
          const form = await formOf(request, body)
          request.body = new URLSearchParams({ form_token: String(form.get('form_token')) })
          reader.requireOwnForm(request, session)
          const file = form.get('file')
          const content = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0)
          const of = { userId: session.userId, paymentId: request.params.payment_id }
          return uploadProof(pages, of, content)
        })
        return reply.headers(pages.headers).redirect(back, 303)
      },
    )
  })
}

/** By the platform's own reader of forms. */
async function formOf({ headers }: FastifyRequest, body: Buffer): Promise<FormData> {
  const init = { headers: { 'content-type': headers['content-type'] ?? '' } }
  try {
    return await new Response(new Uint8Array(body), init).formData()
  } catch (cause) {
    throw new BillingError('invalid_request', { cause })
  }
}
