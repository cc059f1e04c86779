// Who reads a page of the console, and in which language.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { consoleSay } from '../i18n/console.js'
import type { ConsolePages, View } from './console-frame.js'

/** What each route of a page says: it is in no document, and leads to the sign-in who has no session. */
export function forOperators({ operatorsHere }: ConsolePages) {
  return { schema: { hide: true }, onRequest: operatorsHere.onRequest }
}

/** Of a request that has passed `operatorsHere.onRequest`. */
export function viewOf(
  { operatorsHere, reader, actTitles }: ConsolePages,
  request: FastifyRequest,
  reply: FastifyReply,
): View {
  const session = operatorsHere.of(request)
  const locale = reader.language(request, reply, null)
  const titleOfAct = (name: string) => actTitles.get(name)?.[locale]
  return { session, locale, say: consoleSay(locale), titleOfAct }
}
