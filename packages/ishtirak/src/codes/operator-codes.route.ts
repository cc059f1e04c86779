// Batches of codes over HTTP. The codes are in the answer that makes them, and nowhere else.
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { By } from '../acts/audit.sql.js'
import { readInstant } from '../acts/day.js'
import type { App } from '../http/app.js'
import { OPERATIONS, routeAt } from '../overview/operations.js'
import { type CodesDeps, createCodes, listBatches, revokeBatch, showBatch } from './batches.js'
import type { NewCodesSchema } from './code-schemas.js'

const SHOWN = 50

export function codeRoutes(
  app: App,
  deps: CodesDeps,
  actedBy: (request: FastifyRequest, why: string) => By,
): void {
  app.post(...routeAt(OPERATIONS.createCodes), async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return createCodes(deps, wantedIn(deps, request.body), actedBy(request, request.body.why))
  })
  app.get(...routeAt(OPERATIONS.listCodeBatches), async ({ query: { limit = SHOWN } }) => ({
    data: await listBatches(deps, limit),
  }))
  app.get(...routeAt(OPERATIONS.getCodeBatch), ({ params }) => showBatch(deps, params.batch_id))
  app.post(...routeAt(OPERATIONS.revokeCodes), (request) =>
    revokeBatch(deps, request.params.batch_id, actedBy(request, request.body.why)),
  )
}

function wantedIn({ wallClock }: CodesDeps, body: Static<typeof NewCodesSchema>) {
  const { kind, plan = null, months = null, percent = null, amount = null, count } = body
  const { uses = 1, uses_per_user = 1, from, until } = body
  return {
    ...{ kind, planId: plan, months, percent, amount, count, uses },
    usesPerUser: uses_per_user,
    from: from === undefined ? null : readInstant(wallClock, 'from', from),
    until: until === undefined ? null : readInstant(wallClock, 'until', until),
  }
}
