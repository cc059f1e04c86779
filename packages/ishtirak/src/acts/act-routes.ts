// The routes of the operator's API. An act is a POST; its preview is a GET of the same address, or a POST to
// `…/preview`. The lists for the platform's key are made here too.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { type Operator, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import type { Callers, PlatformCallers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { acceptAnyType, rawBody } from '../http/request.js'
import { UPLOAD_CONFIG } from '../http/upload.js'
import type { ConsolePages } from '../pages/console-frame.js'
import { fromThisSite } from '../pages/console-view.js'
import { type Act, type ActDeps, type Call, verbOf } from './act.js'
import type { Requester } from './audit.sql.js'
import { OPERATOR_API, PLATFORM_API, READ_REFUSALS, ROLE_REFUSALS } from './files.js'
import { performOrRepeat, planOf } from './perform.js'
import { PreviewSchema, viewPreview } from './preview.js'
import type { Reading } from './reading.js'
import { idIn, type SubjectFile } from './subject.js'
import { schemaOf } from './user-call.js'

export interface OperatorCallers {
  readonly operators: Callers<Operator>
}

/** The address of an act, below `OPERATOR_API`. */
export function addressOfAct(act: Pick<Act, 'name' | 'on'>): string {
  return `${act.on.path}/${verbOf(act)}`
}

export function actRoutes<Deps extends ActDeps & OperatorCallers>(
  app: App,
  deps: Deps,
  acts: readonly Act<Deps>[],
): void {
  for (const act of acts) {
    const asksByPost = act.secret !== undefined
    const url = `${OPERATOR_API}${addressOfAct(act)}`
    const limit = asksByPost && { bodyLimit: BODY_BYTES_MAX }
    const callOf = (request: FastifyRequest, input: unknown) =>
      callBy(deps.operators.of(request), idIn(act.on, Object(request.params)), Object(input))
    app.post(url, { schema: actSchema(act, deps), ...limit }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return doAct(deps, act, callOf(request, request.body))
    })
    app.route({
      method: asksByPost ? 'POST' : 'GET',
      url: asksByPost ? `${url}/preview` : url,
      ...{ schema: previewSchema(act), ...limit },
      handler: async (request) =>
        previewAct(deps, act, callOf(request, asksByPost ? request.body : request.query)),
    })
  }
}

/** Room for the 10,000 ids of 128 letters that an act on a list may have. */
const BODY_BYTES_MAX = 4 * 1024 * 1024

export async function previewAct<Deps>(deps: Deps, act: Act<Deps>, call: Call<object, Requester>) {
  return viewPreview(await planOf(act, deps, call))
}

/** Does the act and returns the answer, for the API and for a host. */
export async function doAct<Deps extends ActDeps>(deps: Deps, act: Act<Deps>, call: Call<object, Requester>) {
  const performed = await performOrRepeat(act, deps, call)
  if (!act.answer) {
    const file = fileOf(act, deps)
    return file.view(await file.read(call.id))
  }
  return performed.kind === 'done'
    ? act.answer.read(deps, call, performed.outcome)
    : act.answer.read(deps, call, undefined, performed.found)
}

function fileOf<Deps>({ name, on }: Act<Deps>, deps: Deps): SubjectFile {
  const file = on.file?.(deps)
  if (!file) throw new Error(`${name} has no answer`)
  return file
}

interface Readers {
  readonly api: string
  /** The name of their key in the OpenAPI document. */
  readonly key: 'operator' | 'platform'
  readonly refuses: readonly ErrorCode[]
  operatorOf(request: FastifyRequest): Operator
}

export function readingRoutes<Deps extends OperatorCallers>(
  app: App,
  deps: Deps,
  readings: readonly Reading<Deps>[],
): void {
  const { of: operatorOf } = deps.operators
  addReadings(app, deps, readings, { api: OPERATOR_API, key: 'operator', refuses: READ_REFUSALS, operatorOf })
}

/** The platform may read only what every role may read, which is what a viewer may read. */
const PLATFORM: Operator = { name: 'platform', role: 'viewer' }

export function platformReadingRoutes<Deps extends PlatformCallers>(
  deps: Deps,
  readings: readonly Reading<Deps>[],
) {
  const refuses = ['unauthenticated', 'validation_failed', 'database_unavailable'] as const
  return async (app: App): Promise<void> => {
    app.addHook('onRequest', deps.platforms.onRequest)
    const operatorOf = () => PLATFORM
    addReadings(app, deps, readings, { api: PLATFORM_API, key: 'platform', refuses, operatorOf })
  }
}

function addReadings<Deps>(app: App, deps: Deps, readings: readonly Reading<Deps>[], readers: Readers): void {
  for (const reading of readings) {
    const { method = 'GET', path, takes } = reading
    const schema = readingSchema(reading, deps, readers)
    // A reading may be recorded in the audit trail, so there is no HEAD.
    const route = { method, url: `${readers.api}${path}`, schema, exposeHeadRoute: false }
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      readBy(readers.operatorOf(request), reading, deps, { request, reply, isLinked: false })
    if (!takes) app.route({ ...route, handler })
    else
      app.register(async (files: App) => {
        acceptAnyType(files, 'bytes')
        files.route({ ...route, handler, bodyLimit: takes.mostBytes, config: UPLOAD_CONFIG })
      })
  }
}

export function linkedFiles<Deps>(
  app: App,
  pages: ConsolePages & Deps,
  readings: readonly Reading<Deps>[],
): void {
  for (const reading of readings) {
    const { path, params, query, linkedOn } = reading
    if (!linkedOn) continue
    const schema = { hide: true, params, ...(hasMembers(query) && { querystring: query }) }
    const route = { ...fromThisSite(pages, linkedOn), schema, exposeHeadRoute: false }
    app.get(`/console${path}`, route, (request, reply) => {
      const { operator } = pages.operatorsHere.of(request)
      return readBy(operator, reading, pages, { request, reply, isLinked: true })
    })
  }
}

async function readBy<Deps>(
  operator: Operator,
  reading: Reading<Deps>,
  deps: Deps,
  of: { readonly request: FastifyRequest; readonly reply: FastifyReply; readonly isLinked: boolean },
) {
  const { name, roles } = reading
  if (name !== undefined && roles !== undefined) requireRole(operator, { name, roles })
  const { request, ...rest } = of
  const [params, query] = [Object(request.params), Object(request.query)]
  return reading.read(deps, { params, query, operator, file: rawBody(request), ...rest })
}

/** The call of an operator. `input` has passed the schema of the act. */
export function callBy(operator: Operator, id: string, input: object): Call<object, Requester> {
  const { why, operation_id: operationId }: { why?: string; operation_id?: string } = input
  const named = operationId === undefined ? {} : { operationId }
  return { id, input, by: { operator, reason: why ?? null, ...named } }
}

function actSchema<Deps>(act: Act<Deps>, deps: Deps) {
  const { on, requestBody, answer, refuses = [] } = act
  return {
    ...described({ ...act, params: on.params }, 'operator'),
    body: requestBody,
    response: {
      200: answer ? schemaOf(answer.schema, deps) : fileOf(act, deps).schema,
      ...problemResponses(...READ_REFUSALS, 'malformed_json', 'conflict', ...ROLE_REFUSALS, ...refuses),
    },
  }
}

export function previewIdOf({ operationId }: Pick<Act, 'operationId'>): string {
  return `preview${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
}

function previewSchema(act: Act) {
  const { summary, on, previewInput, secret, refuses = [] } = act
  const malformed = secret ? (['malformed_json'] as const) : []
  return {
    ...described(
      {
        operationId: previewIdOf(act),
        summary: `What this would change, now; nothing is changed: ${summary}`,
        description:
          'The same decision as that of the act, to those who may act; it refuses what the act refuses.',
        params: on.params,
      },
      'operator',
    ),
    [secret ? 'body' : 'querystring']: previewInput,
    response: {
      200: PreviewSchema,
      ...problemResponses(...READ_REFUSALS, ...malformed, ...ROLE_REFUSALS, 'conflict', ...refuses),
    },
  }
}

function readingSchema<Deps>(reading: Reading<Deps>, deps: Deps, { key, refuses: all }: Readers) {
  const { query, roles, refuses = [] } = reading
  return {
    ...described(reading, key),
    ...(hasMembers(query) && { querystring: query }),
    response: {
      200: schemaOf(reading.answer, deps),
      ...problemResponses(...all, ...(roles ? ROLE_REFUSALS : []), ...refuses),
    },
  }
}

function described(
  of: Pick<Reading, 'operationId' | 'summary' | 'description' | 'params'>,
  key: Readers['key'],
) {
  const { operationId, summary, description, params } = of
  return {
    ...{ operationId, summary, security: [{ [key]: [] }], tags: [key] },
    ...(description !== undefined && { description }),
    ...(hasMembers(params) && { params }),
  }
}

function hasMembers({ properties }: TObject): boolean {
  return Object.keys(properties).length > 0
}
