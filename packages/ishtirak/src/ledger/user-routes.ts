// Routes about one user, declared once for two callers: the user, by token, under `/api/v1/billing`, and a
// server of the platform, by its key, which names the user in the address.
import type { FastifyRequest } from 'fastify'
import { type Static, type TProperties, Type } from 'typebox'
import { BillingError, type ErrorCode, wrongField } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { type Actor, BILLING_ROLES, isBillingRole, mayOrder } from '../core/person.js'
import { isUserId, USER_ID_PATTERN } from '../core/user-id.js'
import type { App } from '../http/app.js'
import { identityOf, type UserIdentity } from '../http/auth.js'
import { type CallerChecks, type Callers, callersBy, type PlatformCallers } from '../http/callers.js'
import { problemResponses } from '../http/problem.js'
import { newRequestId, preferredLocale } from '../http/request.js'
import type { CommonParts } from './parts.js'
import { BILLING_API } from './schemas.js'
import { findUserLocale } from './users.sql.js'

const PLATFORM_USERS = '/api/v1/platform/users'
export const PLATFORM_USER = `${PLATFORM_USERS}/:user_id`
/** What all routes of the platform have in common. */
export const PLATFORM_ROUTE = { security: [{ platform: [] }], tags: ['platform'] }

export const PlatformUserParamsSchema = Type.Object({
  user_id: Type.String({
    pattern: USER_ID_PATTERN,
    description: 'The `account` of the user’s token, else its `sub`',
  }),
})

declare module 'fastify' {
  interface FastifyContextConfig {
    /** It orders nothing, though its method is none of reading: also for a `billing_role` of `reader`. */
    readonly forReaders?: boolean
  }
}

/** Throws `forbidden` where a reader sends a request that orders something. */
export function refuseReader(request: FastifyRequest, actor: Pick<Actor, 'billingRole'>): void {
  // First: `routeOptions` makes an object each time it is read.
  if (mayOrder(actor)) return
  const { method, routeOptions } = request
  const reads = method === 'GET' || method === 'HEAD' || routeOptions.config.forReaders === true
  if (!reads) throw new BillingError('forbidden')
}

/** Null: it is not encoded as an address is. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** By these a server of the platform says which person it calls for, and what they may do. */
const PERSON_HEADERS = Type.Object({
  'ishtirak-person': Type.Optional(
    Type.String({ description: 'The platform’s id of the person who acts for the account, percent-encoded' }),
  ),
  'ishtirak-billing-role': Type.Optional(
    Type.Enum([...BILLING_ROLES], { description: 'What they may do. Without it: owner' }),
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

/** A call about one user, whoever makes it. */
export interface UserCall {
  readonly user: UserIdentity
  /** Where the caller finds what is the user's. Addresses in answers begin with it. */
  readonly api: string
  readonly requestId: string
}

interface Operation {
  readonly operationId: string
  readonly tags: string[]
}

/** One of the two callers, for whom a route is declared. */
export interface UserCallers {
  readonly path: typeof BILLING_API | typeof PLATFORM_USER
  readonly onRequest: Callers<unknown>['onRequest']
  /** `tag`: where the document has the user's own route. */
  operation(operationId: string, tag?: string): Operation
  /** The same of what a person does: the platform may say who. */
  personal(operationId: string, tag?: string): Operation & { readonly headers?: typeof PERSON_HEADERS }
  /** Of the address, beside the user. */
  params<Members extends TProperties>(members: Members): ReturnType<typeof Type.Object<Members>>
  /** What the caller may be answered beside what the route names. */
  refusals(...codes: readonly ErrorCode[]): ReturnType<typeof problemResponses>
  /** Of a request that has passed `onRequest` and the check of its address. Throws `forbidden`. */
  callOf(request: FastifyRequest): UserCall
  /** What the token, or the profile that the platform has set, says; else `Accept-Language`, else Arabic. */
  localeOf(request: FastifyRequest): Promise<Locale>
}

export type UserRoutesDeps = Pick<CallerChecks, 'identify'> &
  PlatformCallers &
  Pick<CommonParts, 'database' | 'publicUrl'>

/** A plugin with what `declare` declares, for each of the two. */
export function forBothCallers(deps: UserRoutesDeps, declare: (app: App, callers: UserCallers) => void) {
  return async (app: App): Promise<void> => {
    declare(app, byToken(deps))
    declare(app, byPlatform(deps))
  }
}

/** The call of a host that mounts the service. Throws `validation_failed`, and `forbidden` for a reader. */
export function hostCall(deps: Pick<CommonParts, 'publicUrl'>, user: UserIdentity): UserCall {
  if (!mayOrder(user)) throw new BillingError('forbidden')
  return { user: identityOf(user), api: userApi(deps), requestId: newRequestId() }
}

/** Null: neither what is said of the user now nor their profile tells it. */
export async function knownLocale(
  { database }: Pick<CommonParts, 'database'>,
  { userId, locale }: UserIdentity,
): Promise<Locale | null> {
  return locale ?? findUserLocale(database, userId)
}

/** Where a user finds what is theirs. */
export function userApi({ publicUrl }: Pick<CommonParts, 'publicUrl'>): string {
  return publicUrl + BILLING_API
}

const REFUSALS = ['unauthenticated', 'rate_limited', 'database_unavailable'] as const

function byToken(deps: UserRoutesDeps): UserCallers {
  const users = callersBy(deps.identify)
  const api = userApi(deps)
  const operation: UserCallers['operation'] = (operationId, tag = 'billing') => {
    return { security: [{ user: [] }], tags: [tag], operationId }
  }
  return {
    path: BILLING_API,
    onRequest: users.onRequest,
    operation,
    personal: operation,
    params: (members) => Type.Object(members),
    refusals: (...codes) => problemResponses(...REFUSALS, ...codes),
    callOf: (request) => {
      const user = users.of(request)
      refuseReader(request, user)
      return { user, api, requestId: request.id }
    },
    localeOf: async (request) => users.of(request).locale ?? languageOf(request),
  }
}

function byPlatform(deps: UserRoutesDeps): UserCallers {
  const { platforms, publicUrl } = deps
  const operation: UserCallers['operation'] = (operationId) => {
    return { ...PLATFORM_ROUTE, operationId: `${operationId}ForUser` }
  }
  const userIdOf = ({ params }: FastifyRequest) => (params as Static<typeof PlatformUserParamsSchema>).user_id
  return {
    path: PLATFORM_USER,
    onRequest: platforms.onRequest,
    operation,
    personal: (operationId) => ({ ...operation(operationId), headers: PERSON_HEADERS }),
    params: (members) => Type.Object({ ...PlatformUserParamsSchema.properties, ...members }),
    refusals: (...codes) => problemResponses(...REFUSALS, 'not_found', 'validation_failed', ...codes),
    callOf: (request) => {
      const userId = userIdOf(request)
      const person = personIn(request)
      refuseReader(request, person)
      const api = `${publicUrl}${PLATFORM_USERS}/${encodeURIComponent(userId)}`
      return { user: { userId, ...person }, api, requestId: request.id }
    },
    localeOf: async (request) =>
      (await knownLocale(deps, { userId: userIdOf(request) })) ?? languageOf(request),
  }
}

function languageOf({ headers }: FastifyRequest): Locale {
  return preferredLocale(headers['accept-language'], 'ar')
}
