// The search, everything known of one user, and the end of their access.
import type { App } from '../http/app.js'
import { problemResponses } from '../http/problem.js'
import type { SaveDeps } from '../payments/save.js'
import { ACT, actedBy, BASE, OPERATOR, type OperatorRouteDeps, READ, viewedNow } from './route.js'
import {
  FoundSchema,
  OperatorUserParamsSchema,
  SearchQuerySchema,
  UserFileSchema,
  WhySchema,
} from './schemas.js'
import { endUser, showUser } from './users.js'
import { search } from './users.sql.js'
import { viewFound, viewUserFile } from './views.js'

export type UserRoutesDeps = OperatorRouteDeps & SaveDeps

export function userRoutes(app: App, deps: UserRoutesDeps): void {
  const searchSchema = {
    ...OPERATOR,
    operationId: 'search',
    summary: 'The users and payments that a word names',
    querystring: SearchQuerySchema,
    response: { 200: FoundSchema, ...problemResponses(...READ) },
  }
  app.get(`${BASE}/search`, { schema: searchSchema }, async ({ query }) =>
    viewFound(await search(deps, query.q), viewedNow(deps)),
  )
  const common = { ...OPERATOR, params: OperatorUserParamsSchema }
  const showSchema = {
    ...common,
    operationId: 'getUserFile',
    summary: 'Everything known of one user',
    response: { 200: UserFileSchema, ...problemResponses(...READ) },
  }
  app.get(`${BASE}/users/:user_id`, { schema: showSchema }, async ({ params }) =>
    viewUserFile(await showUser(deps, params.user_id), viewedNow(deps)),
  )
  const endSchema = {
    ...common,
    operationId: 'endAccess',
    summary: 'End a user’s access now',
    body: WhySchema,
    response: { 200: UserFileSchema, ...problemResponses(...ACT) },
  }
  app.post(`${BASE}/users/:user_id/end`, { schema: endSchema }, async (request) => {
    const by = actedBy(deps, request, request.body.why)
    return viewUserFile(await endUser(deps, request.params.user_id, by), viewedNow(deps))
  })
}
