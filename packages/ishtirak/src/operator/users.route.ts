// The search, everything known of one user, and the end of their access.
import type { App } from '../http/app.js'
import type { SaveDeps } from '../payments/save.js'
import { actedBy, acts, BASE, type OperatorRouteDeps, reads, viewedNow } from './route.js'
import {
  FoundSchema,
  OperatorUserParamsSchema,
  SearchQuerySchema,
  UserFileSchema,
  WhySchema,
} from './schemas.js'
import { endUser, showUser } from './users.js'
import { search } from './users.sql.js'
import { viewOperatorPayment, viewUserFile } from './views.js'

export type UserRoutesDeps = OperatorRouteDeps & SaveDeps

export function userRoutes(app: App, deps: UserRoutesDeps): void {
  const searchSchema = {
    ...reads(FoundSchema),
    operationId: 'search',
    summary: 'The users and payments that a word names',
    querystring: SearchQuerySchema,
  }
  app.get(`${BASE}/search`, { schema: searchSchema }, async ({ query }) => {
    const { users, payments } = await search(deps, query.q)
    return { users, payments: payments.map((payment) => viewOperatorPayment(payment, viewedNow(deps))) }
  })
  const showSchema = {
    ...reads(UserFileSchema),
    operationId: 'getUserFile',
    summary: 'Everything known of one user',
    params: OperatorUserParamsSchema,
  }
  app.get(`${BASE}/users/:user_id`, { schema: showSchema }, async ({ params }) =>
    viewUserFile(await showUser(deps, params.user_id), viewedNow(deps)),
  )
  const endSchema = {
    ...acts(UserFileSchema),
    operationId: 'endAccess',
    summary: 'End a user’s access now',
    params: OperatorUserParamsSchema,
    body: WhySchema,
  }
  app.post(`${BASE}/users/:user_id/end`, { schema: endSchema }, async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewUserFile(await endUser(deps, request.params.user_id, by), viewedNow(deps))
  })
}
