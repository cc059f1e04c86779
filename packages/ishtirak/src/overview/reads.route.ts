// What operators read across users, over HTTP.
import type { FastifyReply } from 'fastify'
import { CSV_TYPE, sendFile } from '../acts/send-file.js'
import { type AccountsDeps, type AccountsFormat, exportAccounts } from '../books/accounts.js'
import { readJournal } from '../books/journal.js'
import { viewJournalEntry, viewMonth } from '../books/month-schemas.js'
import { readMonthFigures } from '../books/months.js'
import type { Operator } from '../core/role.js'
import type { App } from '../http/app.js'
import type { Callers } from '../http/callers.js'
import type { ResendDeps } from '../mail/resend-receipt.js'
import type { HealthDeps } from './health.js'
import type { InboxDeps } from './inbox.js'
import { OPERATIONS, routeAt } from './operations.js'
import type { SearchDeps } from './search.js'
import type { ViewDeps } from './views.js'

export type ReadRoutesDeps = HealthDeps &
  InboxDeps &
  SearchDeps &
  AccountsDeps &
  ResendDeps &
  ViewDeps & { readonly operators: Callers<Operator> }

export function readRoutes(app: App, deps: ReadRoutesDeps): void {
  app.get(...routeAt(OPERATIONS.getMonth), async ({ params }) =>
    viewMonth(await readMonthFigures(deps, params.month)),
  )
  app.get(...routeAt(OPERATIONS.getJournal), async ({ params, query: { cursor = null, limit = 50 } }) => {
    const { entries, nextCursor } = await readJournal(deps, { month: params.month, cursor, limit })
    return { data: entries.map(viewJournalEntry), next_cursor: nextCursor }
  })
  app.get(...routeAt(OPERATIONS.exportAccounts), async (request, reply) => {
    const { month, format = 'plain', method: way = null } = request.query
    const operator = deps.operators.of(request)
    const pieces = await exportAccounts(deps, { month, format, way, operator })
    return sendAccounts(reply, { month, format }, pieces)
  })
}

export function sendAccounts(
  reply: FastifyReply,
  { month, format }: { readonly month: string; readonly format: AccountsFormat },
  pieces: AsyncIterable<string>,
): FastifyReply {
  const name = format === 'excel' ? `accounts-${month}-excel` : `accounts-${month}`
  return sendFile(reply, { type: CSV_TYPE, name: `${name}.csv`, content: pieces })
}
