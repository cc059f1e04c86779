// The forms about transfers: ask for one, and send a picture or PDF of it.
import type { FastifyRequest } from 'fastify'
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { uploadProof } from '../payments/transfer/proof.js'
import { openPayment } from '../payments/upgrade.js'
import type { Pages } from './frame.js'
import { wantedIn } from './reader.js'
import { transferMethod } from './transfer-section.js'

export function transferRoutes(app: App, pages: Pages): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }

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
    return reply.headers(pages.headers).redirect(`${pages.base}/portal#transfer`, 303)
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
        const paymentId = request.params.payment_id
        await pages.uploads.receive(request.raw, async (body) => {
          const form = await formOf(request, body)
          request.body = new URLSearchParams({ form_token: String(form.get('form_token')) })
          reader.requireOwnForm(request, session)
          const file = form.get('file')
          const content = file instanceof File ? Buffer.from(await file.arrayBuffer()) : Buffer.alloc(0)
          return uploadProof(pages, { userId: session.userId, paymentId }, content)
        })
        const back = `${pages.base}/portal?transfer=${encodeURIComponent(paymentId)}#received`
        return reply.headers(pages.headers).redirect(back, 303)
      },
    )
  })
}

/** Stands at the beginning of each part of a form. Ours has two; to read thousands takes seconds. */
const PART = Buffer.from('form-data')
const PARTS_MAX = 8

/** By the platform's own reader of forms. */
async function formOf({ headers }: FastifyRequest, body: Buffer): Promise<FormData> {
  let [parts, at] = [0, body.indexOf(PART)]
  for (; at >= 0; at = body.indexOf(PART, at + 1)) parts += 1
  if (parts > PARTS_MAX) throw new BillingError('invalid_request')
  const init = { headers: { 'content-type': headers['content-type'] ?? '' } }
  try {
    return await new Response(new Uint8Array(body), init).formData()
  } catch (cause) {
    throw new BillingError('invalid_request', { cause })
  }
}
