// What operators read across users, over HTTP.
import type { Operator } from '../core/role.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import type { ResendDeps } from '../mail/resend-receipt.js'
import { readTrail } from './audit-trail.js'
import { type HealthDeps, readHealth } from './health.js'
import { type InboxDeps, readInbox } from './inbox.js'
import { viewInboxEntry } from './inbox-schemas.js'
import { OPERATIONS, routeAt } from './operations.js'
import { type SearchDeps, search } from './search.js'
import { readTimeline } from './timeline.js'
import { type ViewDeps, viewedNow, viewFoundUser, viewOperatorPayment } from './views.js'

export type ReadRoutesDeps = HealthDeps &
  InboxDeps &
  SearchDeps &
  ResendDeps &
  ViewDeps & { readonly operators: Callers<Operator> }

export function readRoutes(app: App, deps: ReadRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.readHealth), () => readHealth(deps))
  app.get(...routeAt(OPERATIONS.readInbox), async ({ query }) => {
    const { kind = null, cursor = null, limit = 50 } = query
    const { counts, entries, nextCursor } = await readInbox(deps, { kind, cursor, limit })
    return { counts, data: entries.map(viewInboxEntry), next_cursor: nextCursor }
  })
  app.get(...routeAt(OPERATIONS.readTrail), ({ query }) => readTrail(deps, query))
  app.get(...routeAt(OPERATIONS.search), async ({ query }) => {
    const { users, payments } = await search(deps, query.q)
    const context = viewedNow(deps)
    return {
      users: users.map(viewFoundUser),
      payments: payments.map(({ payment, exact }) => ({ ...viewOperatorPayment(payment, context), exact })),
    }
  })
  app.get(...routeAt(OPERATIONS.getTimeline), ({ params, query: { cursor = null, limit = 50 } }) =>
    readTimeline(deps, { userId: params.user_id, cursor, limit }),
  )
}
