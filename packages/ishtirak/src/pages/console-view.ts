// The routes of the console's pages: who may open them, and the language of the reader.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App, ParamsIn } from '../http/app.js'
import { writtenIn } from '../i18n/formats.js'
import { consoleSay } from '../i18n/messages.js'
import { type ConsolePages, goTo, sendPage, type View } from './console-frame.js'
import { isFromAnotherSite } from './reader.js'

/** Route options of a page: it is in no OpenAPI document, and redirects to the sign-in without a session. */
export function forOperators({ operatorsHere }: ConsolePages) {
  return { schema: { hide: true }, onRequest: operatorsHere.onRequest }
}

/** For pages whose opening is recorded: a link on another site leads to the page `back` instead. */
export function fromThisSite<Asked>(pages: ConsolePages, back: (request: Asked) => string) {
  return {
    ...forOperators(pages),
    preHandler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (isFromAnotherSite(request)) return goTo(pages, reply, back(request as Asked))
    },
  }
}

interface ConsoleRequest<Params> {
  readonly view: View
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly params: Params
}

/** Serves a page to signed-in operators. `render` returns it, or answers itself. */
export function consoleRoute<
  const Path extends string,
  Params = Readonly<Record<ParamsIn<Path>[number], string>>,
>(
  app: App,
  pages: ConsolePages,
  path: Path,
  render: (asked: ConsoleRequest<Params>) => Promise<string | FastifyReply>,
): void {
  app.get(path, forOperators(pages), async (request, reply) => {
    const params = request.params as Params
    const answer = await render({ view: viewOf(pages, request, reply), request, reply, params })
    return typeof answer === 'string' ? sendPage(pages, reply, answer) : answer
  })
}

/** The request must have passed `operatorsHere.onRequest`. */
export function viewOf(
  { operatorsHere, reader, formats }: ConsolePages,
  request: FastifyRequest,
  reply: FastifyReply,
): View {
  const session = operatorsHere.of(request)
  const locale = reader.language(request, reply, null)
  return { session, locale, say: consoleSay(locale), ...writtenIn(formats, locale) }
}
