// The operator's API, made from acts and readings: a POST, its preview a GET of the same address. Lists for
// the platform's key are readings too.
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
    app.post(address, { schema: actSchema(act, deps), ...limit }, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      return doAct(deps, act, callOf(deps, act, request, request.body))
    })
    const schema = previewSchema(act)
    if (limit)
      app.post(`${address}/preview`, { schema, ...limit }, async (request) =>
        previewAct(deps, act, callOf(deps, act, request, request.body)),
      )
    else
      app.get(address, { schema }, async (request) =>
        previewAct(deps, act, callOf(deps, act, request, request.query)),
      )
  }
}

/** Room for 10,000 ids of 128 letters, which an act on a list may name. */
const LARGE_BODY_BYTES = 4 * 1024 * 1024

/** Answers the preview, for the API and for mounted calls. */
export async function previewAct<Deps>(deps: Deps, act: Act<Deps>, call: Call<object, By>) {
  return viewPreview(await planOf(act, deps, call))
}

/** Does the act and answers, for the API and for mounted calls. */
export async function doAct<Deps extends ActDeps>(deps: Deps, act: Act<Deps>, call: Call<object, By>) {
  const performed = await performOrRepeat(act, deps, call)
  const [outcome, earlier] = performed.kind === 'done' ? [performed.outcome] : [undefined, performed.found]
  if (act.answer) return act.answer.read(deps, call as Call<never, By>, outcome, earlier)
  const file = fileOf(act, deps)
  return file.view(await file.read(call.id))
}

function fileOf<Deps>({ name, on }: Act<Deps>, deps: Deps): SubjectFile {
  const file = on.file?.(deps)
  if (!file) throw new Error(`${name} has no answer`)
  return file
}

/** Callers whose key opens the addresses of readings. */
interface Readers {
  readonly api: string
  /** Their scheme and their part of the OpenAPI document. */
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

/** A plugin with the readings that name no user, for the platform's key. */
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
    // A file is made for who reads it, and its reading may count: not for HEAD.
    const route = { method, url: `${readers.api}${path}`, schema, exposeHeadRoute: !reading.answer }
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const operator = readers.operatorOf(request)
      if (name !== undefined && roles !== undefined) requireRole(operator, { name, roles })
      const file = takes ? rawBody(request) : NO_FILE
      return reading.read(deps, { params: request.params, query: request.query, operator, reply, file })
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

function callOf(
  { operators }: OperatorCallers,
  { on }: Pick<Act, 'on'>,
  request: FastifyRequest,
  given: unknown,
): Call<object, By> {
  const params: Readonly<Record<string, string>> = Object(request.params)
  return callBy(operators.of(request), idIn(on, params), Object(given))
}

/** `input` has passed the schema of the act. */
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
