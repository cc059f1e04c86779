// Who reads a page of the console, and in which language.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleSay } from '../i18n/console.js'
import { writtenIn } from '../i18n/formats.js'
import { type ConsolePages, goTo, type View } from './console-frame.js'
import { isFromAnotherSite } from './reader.js'

/** What each route of a page says: it is in no document, and leads to the sign-in who has no session. */
export function forOperators({ operatorsHere }: ConsolePages) {
  return { schema: { hide: true }, onRequest: operatorsHere.onRequest }
}

/**
 * The same of what stands in the audit trail once it is opened: another site does not open it in an
 * operator's name. A link of one leads to the page `back`.
 */
export function fromThisSite<Params>(pages: ConsolePages, back: (params: Params) => string) {
  return {
    ...forOperators(pages),
    preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (isFromAnotherSite(request)) return goTo(pages, reply, back(request.params as Params))
    },
  }
}

/** Of a request that has passed `operatorsHere.onRequest`. */
export function viewOf(
  { operatorsHere, reader, formats }: ConsolePages,
  request: FastifyRequest,
  reply: FastifyReply,
): View {
  const session = operatorsHere.of(request)
  const locale = reader.language(request, reply, null)
  return { session, locale, say: consoleSay(locale), ...writtenIn(formats, locale) }
}
