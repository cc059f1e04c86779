// The routes of the operator's API. An act is a POST, and its preview a GET of the same address. The lists
// for the platform's key are readings too.
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { TObject } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { type Operator, requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import type { Callers, PlatformCallers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { acceptRawBytes, rawBody } from '../http/request.js'
import { UPLOAD_CONFIG } from '../http/upload.js'
import { type Act, type ActDeps, type Call, verbOf } from './act.js'
import type { By } from './audit.sql.js'
import { LIMITED, OPERATOR_API, PLATFORM_API, READ } from './descriptions.js'
import { performOrRepeat, planOf } from './perform.js'
import { PreviewSchema, viewPreview } from './preview.js'
import type { Reading } from './reading.js'
import { idIn, type SubjectFile } from './subject.js'

export interface OperatorCallers {
  /** Known by their key. */
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
    const address = `${OPERATOR_API}${addressOfAct(act)}`
    const limit = act.asksByPost && { bodyLimit: LARGE_BODY_BYTES }
    const callOf = (request: FastifyRequest, input: unknown) =>
      callBy(deps.operators.of(request), idIn(act.on, Object(request.params)), Object(input))
    app.post(address, { schema: actSchema(act, deps), ...limit }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return doAct(deps, act, callOf(request, request.body))
    })
    app.route({
      method: act.asksByPost ? 'POST' : 'GET',
      url: act.asksByPost ? `${address}/preview` : address,
      ...{ schema: previewSchema(act), ...limit },
      handler: async (request) =>
        previewAct(deps, act, callOf(request, act.asksByPost ? request.body : request.query)),
    })
  }
}

/** Room for the 10,000 ids of 128 letters that an act on a list may have. */
const LARGE_BODY_BYTES = 4 * 1024 * 1024

/** Returns the preview, for the API and for a host. */
export async function previewAct<Deps>(deps: Deps, act: Act<Deps>, call: Call<object, By>) {
  return viewPreview(await planOf(act, deps, call))
}

/** Does the act and returns the answer, for the API and for a host. */
export async function doAct<Deps extends ActDeps>(deps: Deps, act: Act<Deps>, call: Call<object, By>) {
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

/** The callers of readings: operators, or the platform. */
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
  const operatorOf = (request: FastifyRequest) => deps.operators.of(request)
  addReadings(app, deps, readings, { api: OPERATOR_API, key: 'operator', refuses: READ, operatorOf })
}

/** The platform may read what every role may. */
const PLATFORM: Operator = { name: 'platform', role: 'viewer' }

/** A plugin with the lists over all users, for the platform's key. */
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
    const { method = 'GET', path, name, roles, takes } = reading
    const schema = readingSchema(reading, deps, readers)
    // A reading may be recorded in the audit trail, so there is no HEAD.
    const route = { method, url: `${readers.api}${path}`, schema, exposeHeadRoute: false }
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const operator = readers.operatorOf(request)
      if (name !== undefined && roles !== undefined) requireRole(operator, { name, roles })
      const file = takes ? rawBody(request) : NO_FILE
      return reading.read(deps, {
        params: Object(request.params),
        query: Object(request.query),
        operator,
        reply,
        file,
      })
    }
    if (takes) app.register(async (files: App) => takeFile(files, { ...route, handler }, takes))
    else app.route({ ...route, handler })
  }
}

const NO_FILE = Buffer.alloc(0)

function takeFile(files: App, route: RouteOptions, { mostBytes }: { readonly mostBytes: number }): void {
  acceptRawBytes(files)
  files.route({ ...route, bodyLimit: mostBytes, config: UPLOAD_CONFIG })
}

/** The call of an operator. `input` has passed the schema of the act. */
export function callBy(operator: Operator, id: string, input: object): Call<object, By> {
  const { why, operation_id: operationId }: { why?: string; operation_id?: string } = input
  const named = operationId === undefined ? {} : { operationId }
  return { id, input, by: { operator, reason: why ?? null, ...named } }
}

function actSchema<Deps>(act: Act<Deps>, deps: Deps) {
  const { operationId, summary, description, on, body, refuses = [] } = act
  return {
    ...described({ operationId, summary, description, params: on.params }),
    body,
    response: {
      200: act.answer ? answerOf(act.answer.schema, deps) : fileOf(act, deps).schema,
      ...problemResponses(...READ, 'malformed_json', 'conflict', ...LIMITED, ...refuses),
    },
  }
}

/** The preview's operationId in the OpenAPI document. */
export function previewIdOf({ operationId }: Pick<Act, 'operationId'>): string {
  return `preview${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`
}

function previewSchema(act: Act) {
  const { summary, on, asked, asksByPost, refuses = [] } = act
  return {
    ...described({
      operationId: previewIdOf(act),
      summary: `What this would change, now; nothing is changed: ${summary}`,
      description:
        'The same decision as that of the act, to those who may act; it refuses what the act refuses.',
      params: on.params,
    }),
    ...(asksByPost ? { body: asked } : { querystring: asked }),
    response: {
      200: PreviewSchema,
      ...problemResponses(...READ, ...(asksByPost ? MALFORMED : []), ...LIMITED, 'conflict', ...refuses),
    },
  }
}

const MALFORMED = ['malformed_json'] as const

function readingSchema<Deps>(reading: Reading<Deps>, deps: Deps, { key, refuses: all }: Readers) {
  const { operationId, summary, description, params, query, roles, refuses = [] } = reading
  return {
    ...described({ operationId, summary, description, params }, key),
    ...(hasMembers(query) && { querystring: query }),
    response: {
      200: answerOf(reading.answer, deps),
      ...problemResponses(...all, ...(roles ? LIMITED : []), ...refuses),
    },
  }
}

function described(
  of: {
    readonly operationId: string
    readonly summary: string
    readonly description?: string | undefined
    readonly params: TObject
  },
  key: Readers['key'] = 'operator',
) {
  const { operationId, summary, description, params } = of
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    security: [{ [key]: [] }],
    tags: [key],
    ...(hasMembers(params) && { params }),
  }
}

function hasMembers({ properties }: TObject): boolean {
  return Object.keys(properties).length > 0
}

function answerOf<Deps, Answer>(answer: Answer | ((deps: Deps) => Answer), deps: Deps): Answer {
  return answer instanceof Function ? answer(deps) : answer
}
