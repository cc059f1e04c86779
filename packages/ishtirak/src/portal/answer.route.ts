// The page that says what a form led to.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { worthPage } from '../codes/portal-code.route.js'
import { findOwnUse } from '../codes/typed-code.js'
import { BillingError, ERRORS, isErrorCode } from '../core/error.js'
import type { App } from '../http/app.js'
import { isMessageKey } from '../i18n/messages.js'
import {
  askForLinkPage,
  mailedLinkOverPage,
  refusalPage,
  sellerPage,
  sessionOverPage,
} from '../pages/message-pages.js'
import type { Pages } from '../pages/portal-frame.js'
import type { Session } from '../pages/reader.js'
import { PAGES } from './answer.js'

export function answerRoutes(app: App, pages: Pages): void {
  const { reader } = pages
  app.get('/portal/answer', { schema: { hide: true } }, async (request, reply) => {
    if (!reader.hasSeen(request)) pages.limitAnonymous(request, reply)
    const session = await reader.session(request)
    if (session) pages.limitUser(session.userId, reply)
    const kept = reader.kept(request, session)
    const shown = kept && (await showAnswer(pages, { request, reply, session, kept }))
    if (shown === null) return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    return reply.headers(pages.headers).send(shown)
  })
}

interface Shown {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly session: Session | null
  readonly kept: Readonly<Record<string, string>>
}

/** Null: there is nothing to say any more. */
async function showAnswer(pages: Pages, of: Shown): Promise<string | null> {
  const { request, reply, session, kept } = of
  const locale = pages.reader.language(request, reply, session)
  const { refused, page, code, email } = kept
  if (refused !== undefined) return isErrorCode(refused) ? showRefusal(pages, of, refused) : null
  if (page === 'linkSent' || page === 'linkOver') {
    reply.code(PAGES[page])
    return sellerPage(pages, locale, page)
  }
  if (page === 'mailedLinkOver') {
    reply.code(PAGES[page])
    return mailedLinkOverPage(pages, locale)
  }
  if (page === 'sessionOver') {
    reply.code(PAGES[page])
    return sessionOverPage(pages, locale)
  }
  if (email !== undefined) {
    reply.code(422)
    return askForLinkPage(pages, locale, email)
  }
  if (code === undefined || !session) return null
  try {
    return await worthPage(pages, { session, locale, code })
  } catch (error) {
    // It counted when it was typed: Back, after it was used.
    const isOver = error instanceof BillingError && error.code === 'code_not_valid'
    if (isOver) return showRefusal(pages, of, error.code)
    throw error
  }
}

async function showRefusal(
  pages: Pages,
  { request, reply, session, kept }: Shown,
  refused: BillingError['code'],
) {
  const { wait, reason, code, requestId = request.id } = kept
  const locale = pages.reader.language(request, reply, session)
  const retryAfterSeconds = /^\d{1,7}$/.test(wait ?? '') ? Number(wait) : undefined
  const error = new BillingError(refused, {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    extra: isMessageKey(`proof_${reason}`) ? { reason } : {},
  })
  reply.code(ERRORS[refused])
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  const ownUse = code && session ? await findOwnUse(pages, session.userId, code) : null
  return refusalPage(pages, { error, session, locale, requestId, code, ownUse })
}
