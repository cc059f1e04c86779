// The routes of an act that needs no question before it can be shown what it changes: the page that asks once more, and its form.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Act, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { type ConsolePages, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { actOnce, byOf, type FormBy, orAgain, typedIn } from './act-form.js'
import { type ActPage, actPage, type SentForm } from './act-page.js'

/** Of the address. */
type Params = Readonly<Record<string, string>>

interface AskedAct {
  readonly act: Act
  readonly isReasonRequired: boolean
  /** Throws `not_found`. */
  ask(view: View, params: Params): Promise<Omit<ActPage, 'isReasonRequired' | 'sent'>>
  /** As `actOnce` has it. Throws `not_found`. */
  about(params: Params): Promise<Parameters<typeof actOnce>[2]>
  /** Throws `validation_failed` with what is wrong in `typed`. */
  run(params: Params, by: FormBy, typed: SentForm['typed']): Promise<unknown>
}

export function actRoutes(
  app: App,
  pages: ConsolePages,
  path: string,
  { act, isReasonRequired, ask, about, run }: AskedAct,
): void {
  const hidden = forOperators(pages)
  const sendAskPage = async (
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
    sent: SentForm | null,
  ) => {
    const view = viewOf(pages, request, reply)
    requireRole(view.session.operator, act)
    const page = { ...(await ask(view, request.params)), isReasonRequired, sent }
    return sendPage(pages, reply, actPage(pages, view, page))
  }

  app.get<{ Params: Params }>(path, hidden, (request, reply) => sendAskPage(request, reply, null))

  app.post<{ Params: Params }>(path, hidden, (request, reply) => {
    const { params } = request
    const typed = typedIn(request)
    return orAgain(
      async () => {
        const by = byOf(pages, request, isReasonRequired)
        return actOnce(pages, reply, await about(params), by, () => run(params, by, typed))
      },
      (problems) => sendAskPage(request, reply.code(422), { typed, problems }),
    )
  })
}
