// The routes of users' calls: `/api/v1/billing` for a user's token, and an address that names the user for
// the platform's key. Hosts get the same calls as functions.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type TProperties, Type } from 'typebox'
import { BINARY_FILE, fileSchema, PLATFORM_API, sendUserFile } from '../acts/files.js'
import {
  type MountedCalls,
  placesOrder,
  type SentFile,
  schemaOf,
  type UserCall,
  type UserRequest,
} from '../acts/user-call.js'
import { BillingError, type ErrorCode, wrongField } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { type Actor, BILLING_ROLES, isBillingRole, mayOrder } from '../core/person.js'
import { isUserId, USER_ID_PATTERN } from '../core/user-id.js'
import type { App } from '../http/app.js'
import { identityOf, type UserIdentity } from '../http/auth.js'
import { type CallerChecks, type Callers, callersBy, type PlatformCallers } from '../http/callers.js'
import { problemResponses, toBillingError } from '../http/problem.js'
import { acceptAnyType, newRequestId, preferredLocale } from '../http/request.js'
import { checker, query } from '../http/schemas.js'
import { refuseLongBody, UPLOAD_CONFIG } from '../http/upload.js'
import type { CommonParts } from './parts.js'
import { BILLING_API } from './schemas.js'
import { findUserLocale } from './users.sql.js'

const PLATFORM_USERS = `${PLATFORM_API}/users`
const PLATFORM_USER = `${PLATFORM_USERS}/:user_id`
const PLATFORM_PARAMS = {
  user_id: Type.String({
    pattern: USER_ID_PATTERN,
    description: 'The `account` of the user’s token, else its `sub`',
  }),
}

/** Callers of a route: users or the platform. Each has its own route of every call. */
interface UserCallers {
  readonly path: string
  readonly onRequest: Callers<unknown>['onRequest']
  /** Members that the OpenAPI document shows of the route. */
  readonly described: object
  readonly params: TProperties
  readonly refuses: readonly ErrorCode[]
  /** Called after `onRequest` and the validation of the address. */
  userOf(request: FastifyRequest): UserIdentity
  apiOf(user: UserIdentity): string
  localeOf(user: UserIdentity, request: FastifyRequest): Promise<Locale>
}

/** Address and language are computed on demand: otherwise they cost each consume 400 bytes. */
class HttpRequest implements UserRequest {
  constructor(
    private readonly callers: UserCallers,
    private readonly request: FastifyRequest,
    readonly user: UserIdentity,
    readonly input: unknown,
  ) {}

  get api(): string {
    return this.callers.apiOf(this.user)
  }

  get requestId(): string {
    return this.request.id
  }

  get params(): UserRequest['params'] {
    return Object(this.request.params)
  }

  locale(): Promise<Locale> {
    return this.callers.localeOf(this.user, this.request)
  }
}

export type UserCallDeps = Pick<CallerChecks, 'identify'> &
  PlatformCallers &
  Pick<CommonParts, 'database' | 'publicUrl'> & {
    /** Throws `rate_limited`. */
    readonly admitUpload: (userId: string, reply: FastifyReply) => void
  }

export function userCallRoutes<Deps extends UserCallDeps>(deps: Deps, calls: readonly UserCall<Deps>[]) {
  const offered = calls.filter((call) => call.offered?.(deps) !== 'absent')
  return async (app: App): Promise<void> => {
    for (const call of offered)
      if (!call.byPlatform) addRoute(app, deps, { ...call, ...call.forUser }, byToken(deps, call))
    for (const call of offered) addRoute(app, deps, call, byPlatform(deps, call))
  }
}

function addRoute<Deps extends UserCallDeps>(
  app: App,
  deps: Deps,
  call: UserCall<Deps>,
  callers: UserCallers,
): void {
  const route = {
    method: call.method,
    url: `${callers.path}${call.path}`,
    schema: schemaOfRoute(deps, call, callers),
    onRequest: callers.onRequest,
    exposeHeadRoute: !call.withoutHead,
    handler: handlerOf(deps, call, callers),
  }
  if (call.input !== 'file') return void app.route(route)
  app.register(async (files: App) => {
    acceptAnyType(files, 'stream')
    files.route({ ...route, config: UPLOAD_CONFIG })
  })
}

function schemaOfRoute<Deps>(deps: Deps, call: UserCall<Deps>, callers: UserCallers) {
  const { method, summary, description, offered, params = {}, input, created, example, refuses = [] } = call
  const answer = schemaOf(call.answer, deps)
  const part = method === 'GET' ? 'querystring' : 'body'
  return {
    ...callers.described,
    summary,
    ...(description !== undefined && { description }),
    ...(example && { 'x-example': example }),
    hide: offered?.(deps) === 'hidden',
    params: Type.Object({ ...callers.params, ...textsIn(call.path), ...schemaOf(params, deps) }),
    ...(input === 'file' && { 'x-body': FILE_BODY }),
    ...(input && input !== 'file' && { [part]: schemaOf(input, deps) }),
    response: {
      [created ? 201 : 200]: 'file' in answer ? fileSchema(answer) : answer,
      ...problemResponses(...callers.refuses, ...refuses),
    },
  }
}

/** The content decides the type of the file, whatever the header says. */
const FILE_BODY = {
  required: true,
  content: { 'application/octet-stream': { schema: BINARY_FILE } },
}

/** A schema for each `:name` of a path. */
function textsIn(path: string): TProperties {
  const names = path.matchAll(/:(\w+)/g)
  return Object.fromEntries([...names].map(([, name]) => [String(name), Type.String()]))
}

function handlerOf<Deps extends UserCallDeps>(deps: Deps, call: UserCall<Deps>, callers: UserCallers) {
  const answer = schemaOf(call.answer, deps)
  const { method, created } = call
  const isOrder = placesOrder(call)
  /** Throws `payload_too_large` and `rate_limited` for a file. */
  const inputOf = (request: FastifyRequest, reply: FastifyReply, user: UserIdentity): unknown => {
    if (call.input !== 'file') return method === 'GET' ? request.query : request.body
    refuseLongBody(request)
    deps.admitUpload(user.userId, reply)
    return request.raw
  }
  const send = async (reply: FastifyReply, api: string, running: Promise<unknown>) => {
    const answered = await running
    if ('file' in answer) return sendUserFile(reply, answer.file, answered as SentFile)
    return reply
      .code(201)
      .headers(created?.(answered, api) ?? {})
      .send(answered)
  }
  // Not async: most calls return what `run` returns, and each promise more costs every call 200 bytes.
  return (request: FastifyRequest, reply: FastifyReply) => {
    const user = callers.userOf(request)
    if (isOrder && !mayOrder(user)) throw new BillingError('forbidden')
    const of = new HttpRequest(callers, request, user, inputOf(request, reply, user))
    const running = call.run(deps, of)
    return created || 'file' in answer ? send(reply, of.api, running) : running
  }
}

/** The calls for a host. Each throws `validation_failed`, and `forbidden` if a reader orders something. */
export function mountCalls<Deps extends HostDeps, Call extends UserCall<Deps>>(
  deps: Deps,
  calls: readonly Call[],
): MountedCalls<Call> {
  const mounted = calls.map((call) => [call.name, mountedCall<Deps>(deps, call)] as const)
  // The type of each call says what it takes and returns.
  return Object.fromEntries(mounted) as unknown as MountedCalls<Call>
}

type HostDeps = Pick<CommonParts, 'database' | 'publicUrl'>

function mountedCall<Deps extends HostDeps>(deps: Deps, call: UserCall<Deps>) {
  const { path, input = NOTHING, list } = call
  const names = Object.keys(textsIn(path))
  const read: (value: unknown) => unknown =
    input === 'file' ? (file) => streamOf(file as Uint8Array) : checker(schemaOf(input, deps))
  const isFile = 'file' in schemaOf(call.answer, deps)
  const answered = async (given: string | UserIdentity, values: readonly unknown[]) => {
    const user = hostUser(deps, call, given)
    const answer = await call.run(deps, {
      user,
      api: userApi(deps),
      requestId: newRequestId(),
      params: Object.fromEntries(names.map((name, at) => [name, String(values[at])])),
      input: read(values[names.length] ?? {}),
      locale: async () => (await knownLocale(deps, user)) ?? 'ar',
    })
    if (isFile) return (answer as SentFile).content
    return list === undefined ? answer : Object(answer)[list]
  }
  // An error that is no refusal, such as an unreachable database, is thrown under the code that the API
  // answers.
  return (given: string | UserIdentity, ...values: readonly unknown[]) =>
    answered(given, values).catch((error: unknown) => {
      throw toBillingError(error)
    })
}

/** Throws `not_found`, `forbidden`, `validation_failed`. */
function hostUser<Deps>(deps: Deps, call: UserCall<Deps>, given: string | UserIdentity): UserIdentity {
  const user = identityOf(typeof given === 'string' ? { userId: given } : given)
  if (call.offered?.(deps) === 'absent') throw new BillingError('not_found')
  if (placesOrder(call) && !mayOrder(user)) throw new BillingError('forbidden')
  return user
}

const NOTHING = query({})

const streamOf = (file: Uint8Array) =>
  Readable.from([Buffer.from(file.buffer, file.byteOffset, file.byteLength)])

/** Null: neither the call nor the user's profile names a language. */
async function knownLocale(
  { database }: Pick<CommonParts, 'database'>,
  { userId, locale }: UserIdentity,
): Promise<Locale | null> {
  return locale ?? findUserLocale(database, userId)
}

/** The prefix of the addresses of a user's own resources. */
export function userApi({ publicUrl }: Pick<CommonParts, 'publicUrl'>): string {
  return publicUrl + BILLING_API
}

export function platformApi({ publicUrl }: Pick<CommonParts, 'publicUrl'>, userId: string): string {
  return `${publicUrl}${PLATFORM_USERS}/${encodeURIComponent(userId)}`
}

function byToken(deps: UserCallDeps, { operationId, tag }: UserCall): UserCallers {
  const users = callersBy(deps.identify)
  const api = userApi(deps)
  return {
    path: BILLING_API,
    onRequest: users.onRequest,
    described: { operationId, security: [{ user: [] }], tags: [tag ?? 'billing'] },
    params: {},
    refuses: ['unauthenticated', 'rate_limited', 'database_unavailable'],
    userOf: users.of,
    apiOf: () => api,
    localeOf: async ({ locale }, request) => locale ?? languageOf(request),
  }
}

/** The platform's own calls have no rate limit, because every deploy makes one. */
const PLATFORM_REFUSALS = [
  'unauthenticated',
  'database_unavailable',
  'not_found',
  'validation_failed',
] as const

function byPlatform(deps: UserCallDeps, call: UserCall): UserCallers {
  const { platforms, publicUrl } = deps
  const { operationId, method, byPlatform: isPlatforms = false } = call
  const named = {
    operationId: isPlatforms ? operationId : `${operationId}ForUser`,
    security: [{ platform: [] }],
    tags: ['platform'],
  }
  return {
    path: PLATFORM_USER,
    onRequest: platforms.onRequest,
    described: isPlatforms || method === 'GET' ? named : { ...named, headers: PERSON_HEADERS },
    params: PLATFORM_PARAMS,
    refuses: isPlatforms ? PLATFORM_REFUSALS : ['rate_limited', ...PLATFORM_REFUSALS],
    userOf: (request) => {
      const { user_id: userId }: { readonly user_id: string } = Object(request.params)
      return isPlatforms ? { userId } : { userId, ...personIn(request) }
    },
    apiOf: ({ userId }) => platformApi({ publicUrl }, userId),
    localeOf: async (user, request) => (await knownLocale(deps, user)) ?? languageOf(request),
  }
}

const PERSON_HEADERS = Type.Object({
  'ishtirak-person': Type.Optional(
    Type.String({ description: 'The platform’s id of the person who acts for the account, percent-encoded' }),
  ),
  'ishtirak-billing-role': Type.Optional(
    Type.Enum([...BILLING_ROLES], { description: 'The person’s role. Without it: owner' }),
  ),
})

/** Throws `validation_failed`. */
function personIn({ headers }: FastifyRequest): Omit<Actor, 'userId'> {
  const { 'ishtirak-person': person, 'ishtirak-billing-role': billingRole } = headers
  const personId = person === undefined ? undefined : decoded(String(person))
  if (personId !== undefined && !isUserId(personId))
    throw wrongField('header/ishtirak-person', 'wrong_format')
  if (billingRole !== undefined && !isBillingRole(billingRole))
    throw wrongField('header/ishtirak-billing-role', 'invalid')
  return { personId, billingRole }
}

/** Null: it is not a valid encoding. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

function languageOf({ headers }: FastifyRequest): Locale {
  return preferredLocale(headers['accept-language'], 'ar')
}
