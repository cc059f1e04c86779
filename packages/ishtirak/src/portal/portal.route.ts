// The routes of the pages that users see. Nothing here decides about money.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Capability } from '../acts/capability.js'
import { BillingError, ERRORS, isErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { mayOrder } from '../core/person.js'
import type { App } from '../http/app.js'
import type { RefusalPages } from '../http/problem.js'
import {
  answerForm,
  askForLinkPage,
  frontPage,
  noticePage,
  type Refusal,
  refusalPage,
  shortened,
} from '../pages/message-pages.js'
import { type Pages, pageHeaders, type SentForm, styleWith } from '../pages/portal-frame.js'
import {
  acceptForms,
  callersBySession,
  cookiesFor,
  createSessionReader,
  fieldOf,
  queryOf,
  type Session,
} from '../pages/reader.js'
import { withoutSlash } from '../runtime/http-client.js'
import { linkRoutes, mailedLinkRoutes } from './link.route.js'
import { OWN_PATHS, portalPage } from './portal-page.js'
import { addedPages, orderPartsOf, type PortalDeps, type PortalPages, portalReader } from './portal-pages.js'
import { leavePortal, SESSION_MS } from './portal-sessions.sql.js'

export function pages<Deps extends PortalDeps>(deps: Deps, capabilities: readonly Capability<Deps>[]) {
  const store = {
    find: deps.findSession,
    end: (token: string) => leavePortal(deps, token),
    lastsMs: SESSION_MS,
    cookie: cookiesFor(deps.publicUrl).cookie.session,
  }
  const reader = createSessionReader(store, deps.publicUrl)
  const style = styleWith(deps.seller.shop.color)
  const own: Pages & Deps = {
    ...deps,
    showAgain: (request, reply, page, sent) =>
      sendPortalPage(shared, { request, reply: reply.code(422), page, sent }),
    ...orderPartsOf(deps, capabilities),
    reader,
    users: callersBySession(deps, reader, ({ userId }) => userId),
    base: withoutSlash(new URL(deps.publicUrl).pathname),
    style,
    headers: pageHeaders(style, deps.frameAncestors),
    backUrl: (session) => `${deps.platformUrl}${session?.returnPath ?? ''}`,
  }
  const added = addedPages(own, capabilities)
  const shared = { ...own, added, readPortal: portalReader(own, capabilities) }
  return async (app: App): Promise<void> => {
    acceptForms(app)
    // A `billing_role` of `reader` orders nothing, even from a page that was opened with another role.
    app.addHook('preHandler', async (request) => {
      const { method, routeOptions } = request
      const session = shared.users.find(request)
      const reads = method === 'GET' || method === 'HEAD' || routeOptions.config.forReaders === true
      if (session && !reads && !mayOrder(session)) throw new BillingError('forbidden')
    })
    app.refuseWithPages(refusalPages(shared))
    linkRoutes(app, shared)
    portalRoutes(app, shared)
    answerRoutes(app, shared)
    added.addRoutes(app)
    if (shared.mailsLinks) mailedLinkRoutes(app, shared)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A `billing_role` of `reader` may send it: it orders nothing, although its method is POST. */
    readonly forReaders?: boolean
  }
}

function portalRoutes(app: App, pages: PortalPages): void {
  const { reader, users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }

  // A browser gets a page with links, a program the usual 404.
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    if (!request.headers.accept?.includes('text/html')) throw new BillingError('not_found')
    const locale = reader.language(request, reply, null)
    return reply.headers({ ...pages.headers, vary: 'Accept, Accept-Language' }).send(frontPage(pages, locale))
  })

  for (const page of ['', ...OWN_PATHS, ...pages.added.paths])
    app.get(page === '' ? '/portal' : `/portal/${page}`, hidden, (request, reply) =>
      sendPortalPage(pages, { request, reply, page, sent: null }),
    )
}

async function sendPortalPage(
  pages: PortalPages,
  of: { request: FastifyRequest; reply: FastifyReply; page: string; sent: SentForm | null },
): Promise<FastifyReply> {
  const { request, reply, page, sent } = of
  const session = pages.users.of(request)
  const asked = (name: string) => queryOf(request, name) ?? null
  const read = await pages.readPortal({ session, page, asked, sent, requestId: request.id })
  const locale = pages.reader.language(request, reply, session)
  const text = portalPage(pages, { ...read, locale }, { backUrl: pages.backUrl(session) })
  return reply.headers(pages.headers).send(text)
}

function refusalPages(pages: PortalPages): RefusalPages {
  return {
    // A path may go on with an escape that cannot be decoded.
    isPage: (path) => /^\/portal(?![\w.-])/.test(path),
    send: (request, reply, error) => {
      const session = pages.users.find(request)
      const locale = pages.reader.language(request, null, session)
      const isOwnForm = request.method === 'POST' && !request.is404 && pages.reader.isFromHere(request)
      // The answer to a form has its own address, so that going back sends no form twice.
      if (isOwnForm) return keepRefusal(pages, { request, reply, error, session })
      if (error.code === 'unauthenticated' && request.method === 'GET' && pages.platformPortalUrl !== null)
        return reply.headers(pages.headers).redirect(pages.platformPortalUrl, 303)
      const own = pages.added.words(error, locale)
      const refusal = { error, session, locale, requestId: request.id, own }
      return reply.headers(pages.headers).send(refuse(pages, reply, refusal))
    },
  }
}

/** Returns the page, and sets the status and headers of its answer. */
function refuse(pages: PortalPages, reply: FastifyReply, refusal: Refusal): string {
  const { code, retryAfterSeconds } = refusal.error
  reply.code(ERRORS[code])
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds))
  return refusalPage(pages, refusal)
}

/** The page after a form that was refused. A cookie has what to say, so that a reload sends no form twice. */
function answerRoutes(app: App, pages: PortalPages): void {
  const { reader } = pages
  app.get('/portal/answer', { schema: { hide: true } }, async (request, reply) => {
    if (!reader.hasSeen(request)) pages.limitAnonymous(request, reply)
    const session = await reader.session(request)
    if (session) pages.limitUser(session.userId, reply)
    const saved = reader.savedForm(request, session)
    const locale = reader.language(request, reply, session)
    const shown = saved && (await showAnswer(pages, { request, reply, session, locale, saved }))
    if (shown === null) return reply.headers(pages.headers).redirect(`${pages.base}/portal`, 303)
    return reply.headers(pages.headers).send(shown)
  })
}

/** The pages that a form without a session can lead to, each with its status. */
const PAGES = { linkSent: 200, linkOver: 410, sessionOver: 401 } as const

const isPage = (page: string | undefined): page is keyof typeof PAGES =>
  page !== undefined && Object.hasOwn(PAGES, page)

interface Shown {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly session: Session | null
  readonly locale: Locale
  readonly saved: Readonly<Record<string, string>>
}

/** Null: nothing is saved that this page could say. */
async function showAnswer(pages: PortalPages, of: Shown): Promise<string | null> {
  const { reply, session, locale, saved } = of
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
  { request, reply, session, locale, saved }: Shown,
  refused: BillingError['code'],
) {
  const { wait, reason, requestId = request.id } = saved
  const retryAfterSeconds = /^\d{1,7}$/.test(wait ?? '') ? Number(wait) : undefined
  const error = new BillingError(refused, {
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    extra: { reason },
  })
  const after = session && (await pages.added.wordsAfter(refused, saved, { session, locale }))
  const own = after ?? pages.added.words(error, locale)
  return refuse(pages, reply, { error, session, locale, requestId, own })
}

function keepRefusal(
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
