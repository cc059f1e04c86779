// What a form led to, for the page that says it: every form is answered by a redirect, so that neither Back nor a reload sends it
// again. What was typed comes along in a cookie, since a code or an e-mail address stands in no address.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { BillingError } from '../core/error.js'
import type { Pages } from '../pages/portal-frame.js'
import { fieldOf, type Session } from '../pages/reader.js'

type Answer =
  /** A code that was typed, and may count. */
  | { readonly code: string }
  /** An address that is none. */
  | { readonly email: string }
  | { readonly page: keyof typeof PAGES }

/** What a form without a session led to. */
export const PAGES = {
  linkSent: 200,
  linkOver: 410,
  mailedLinkOver: 410,
  sessionOver: 401,
} as const

/** Sends the sender of a form to the page that says what it led to. */
export function answerForm(pages: Pages, reply: FastifyReply, session: Session | null, answer: Answer) {
  pages.reader.keep(reply, session, answer)
  return toAnswer(pages, reply)
}

function toAnswer({ base, headers }: Pages, reply: FastifyReply): FastifyReply {
  return reply.headers(headers).redirect(`${base}/portal/answer`, 303)
}

export function keepRefusal(
  pages: Pages,
  of: { request: FastifyRequest; reply: FastifyReply; error: BillingError; session: Session | null },
): FastifyReply {
  const { request, reply, error, session } = of
  if (error.code === 'unauthenticated') return answerForm(pages, reply, null, { page: 'sessionOver' })
  pages.reader.keep(reply, session, {
    refused: error.code,
    requestId: request.id,
    ...(error.retryAfterSeconds !== undefined && { wait: String(error.retryAfterSeconds) }),
    ...(typeof error.extra.reason === 'string' && { reason: error.extra.reason }),
    ...(error.code === 'code_not_valid' && { code: typedIn(request) }),
  })
  return toAnswer(pages, reply)
}

/** As much of it as the field takes. */
export function typedIn(request: FastifyRequest): string {
  return fieldOf(request, 'code').slice(0, 100)
}
