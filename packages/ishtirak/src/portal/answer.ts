// What a form led to, by the pages of the portal: those that a form without a session leads to, and refusals.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BillingError } from '../core/error.js'
import { answerForm, shortened } from '../pages/answer.js'
import { fieldOf, type Session } from '../pages/reader.js'
import type { PortalPages } from './portal-pages.js'

/** What a form without a session led to. */
export const PAGES = {
  linkSent: 200,
  linkOver: 410,
  mailedLinkOver: 410,
  sessionOver: 401,
} as const

export function keepRefusal(
  pages: PortalPages,
  of: { request: FastifyRequest; reply: FastifyReply; error: BillingError; session: Session | null },
): FastifyReply {
  const { request, reply, error, session } = of
  if (error.code === 'unauthenticated') return answerForm(pages, reply, null, { page: 'sessionOver' })
  const field = pages.brought.keeps(error.code)
  return answerForm(pages, reply, session, {
    refused: error.code,
    requestId: request.id,
    ...(error.retryAfterSeconds !== undefined && { wait: String(error.retryAfterSeconds) }),
    ...(typeof error.extra.reason === 'string' && { reason: error.extra.reason }),
    ...(field !== undefined && { [field]: shortened(fieldOf(request, field)) }),
  })
}
