// The page after a form that was refused. A cookie has what to say, so that a reload sends no form twice.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { BillingError, ERRORS, isErrorCode } from '../core/error.js'
import type { App } from '../http/app.js'
import { answerForm, askForLinkPage, noticePage, refusalPage, shortened } from '../pages/message-pages.js'
import { fieldOf, type Session } from '../pages/reader.js'
import type { PortalPages } from './portal-pages.js'

export function answerRoutes(app: App, pages: PortalPages): void {
  const { reader } = pages
  app.get('/portal/answer', { schema: { hide: true } }, async (request, reply) => {
    if (!reader.hasSeen(request)) pages.limitAnonymous(request, reply)
    const session = await reader.session(request)
    if (session) pages.limitUser(session.userId, reply)
    const saved = reader.savedForm(request, session)
    const shown = saved && (await showAnswer(pages, { request, reply, session, saved }))
    if (shown === null) return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    return reply.headers(pages.headers).send(shown)
  })
}

/** What a form without a session can lead to, with the status of its page. */
const PAGES = { linkSent: 200, linkOver: 410, sessionOver: 401 } as const

const isPage = (page: string | undefined): page is keyof typeof PAGES =>
  page !== undefined && Object.hasOwn(PAGES, page)

interface Shown {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly session: Session | null
  readonly saved: Readonly<Record<string, string>>
}

/** Null: nothing is saved that this page could say. */
async function showAnswer(pages: PortalPages, of: Shown): Promise<string | null> {
  const { request, reply, session, saved } = of
  const locale = pages.reader.language(request, reply, session)
  const { refused, page, email } = saved
  if (refused !== undefined) return isErrorCode(refused) ? showRefusal(pages, of, refused) : null
  if (isPage(page)) {
    reply.code(PAGES[page])
    return noticePage(pages, locale, page)
  }
  if (email !== undefined) {
    reply.code(422)
    return askForLinkPage(pages, locale, email)
  }
  if (!session) return null
  try {
    return await pages.added.answer(saved, { session, locale })
  } catch (error) {
    // A code was valid when it was typed and has been used since.
    const isOver = error instanceof BillingError && pages.added.keeps(error.code) !== undefined
    if (isOver) return showRefusal(pages, of, error.code)
    throw error
  }
}

async function showRefusal(
  pages: PortalPages,
  { request, reply, session, saved }: Shown,
  refused: BillingError['code'],
) {
  const { wait, reason, requestId = request.id } = saved
  const locale = pages.reader.language(request, reply, session)
  const retryAfterSeconds = /^\d{1,7}$/.test(wait ?? '') ? Number(wait) : undefined
  const error = new BillingError(refused, {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    extra: { reason },
  })
  reply.code(ERRORS[refused])
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  const after = session && (await pages.added.wordsAfter(refused, saved, { session, locale }))
  const own = after ?? pages.added.words(error, locale)
  return refusalPage(pages, { error, session, locale, requestId, own })
}

export function keepRefusal(
  pages: PortalPages,
  of: { request: FastifyRequest; reply: FastifyReply; error: BillingError; session: Session | null },
): FastifyReply {
  const { request, reply, error, session } = of
  if (error.code === 'unauthenticated') return answerForm(pages, reply, null, { page: 'sessionOver' })
  const field = pages.added.keeps(error.code)
  return answerForm(pages, reply, session, {
    refused: error.code,
    requestId: request.id,
    ...(error.retryAfterSeconds !== undefined && { wait: String(error.retryAfterSeconds) }),
    ...(typeof error.extra.reason === 'string' && { reason: error.extra.reason }),
    ...(field !== undefined && { [field]: shortened(fieldOf(request, field)) }),
  })
}
