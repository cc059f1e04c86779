// The client for the hosting platform: `import { createClient } from '@ishtirak/client'`. It imports nothing,
// not even types, and needs only `fetch` and `crypto.subtle`, so it runs in Node and at the edge.
import {
  type Allowance,
  CALLS,
  type ConsumeRequest,
  type EventPage,
  LISTS,
  type LimitName,
  type ListEventsQuery,
  type Offer,
  type Plan,
  type PlatformLists,
  type Redeemed,
  type ReleaseRequest,
  type UpgradeResult,
  type UsageReport,
  type UserCalls,
  type UserOrders,
} from './api.js'
import { type Call, type CallSettings, createCall, type Person } from './call.js'
import { BillingUnreachableError } from './errors.js'
import { rememberLimits } from './remembered-limits.js'
import { type BillingEvent, verifyEvent } from './verify-event.js'

export type * from './api.js'
export type { Person } from './call.js'
export { BillingApiError, BillingConfigurationError, BillingUnreachableError } from './errors.js'
export { type ActRequest, createOperator, type Operator, type OperatorOptions } from './operator.js'
export { type BillingEvent, type EventHeaders, InvalidEventError, verifyEvent } from './verify-event.js'

export interface ClientOptions {
  /** The address of Ishtirak, such as `https://billing.example.dz`. */
  readonly url: string
  /** One of its PLATFORM_API_KEYS. */
  readonly apiKey: string
  /** Whether `consume` allows if billing is unreachable and no recent usage of the user is known. */
  readonly whenUnreachable: 'open' | 'closed'
  /**
   * The time limit of any call in milliseconds, including its retry and the reading of the answer. Default:
   * 2,000; for `upgrade`, `createPayment` and `topUpBalance` 14,000, for `redeem` 7,000, for `receipt` and
   * `documents` 10,000, for `uploadProof` 70,000.
   */
  readonly timeoutMs?: number
  /** How long the last known usage decides while billing is unreachable. Default: 60,000 ms. */
  readonly rememberLimitsMs?: number
  readonly fetch?: typeof fetch
  /** Milliseconds since the epoch. */
  readonly now?: () => number
}

/**
 * `source` is what decided: `billing`, the last known usage, or the policy `whenUnreachable`, which has no
 * figures.
 */
export type Consumed =
  | (Allowance & { readonly source: 'billing' | 'remembered' })
  | {
      readonly source: 'policy'
      readonly allowed: boolean
      readonly limit: null
      readonly used: null
      readonly remaining: null
      readonly resets_at: null
      readonly reason: 'billing_unreachable'
    }

/** The orders for an account. A reader may use none of them but the portal. */
export interface Orders extends Omit<UserOrders, 'upgrade' | 'redeem'> {
  /**
   * Buys a month, also as a renewal: send the user to `checkout_url`. A repetition returns the same payment.
   */
  upgrade(userId: string, plan: string): Promise<UpgradeResult>
  /**
   * Redeems a code that gives months, or one that leaves nothing to pay for `free`. The client sends it once,
   * because a user may redeem some codes several times. Any other code can be redeemed again after a
   * `BillingUnreachableError`: the answer is the same.
   */
  redeem(userId: string, code: string, free?: { plan: string; months?: number }): Promise<Redeemed>
}

/**
 * Every call throws `BillingApiError` when the API refuses it (`BillingConfigurationError`: the platform's
 * key), and all but `consume` throw `BillingUnreachableError` when it cannot be reached or cannot answer.
 */
export interface Client<Limit extends string = LimitName>
  extends Orders,
    Omit<UserCalls, 'consume' | 'release' | 'reportUsage'>,
    Omit<PlatformLists, 'listEvents'> {
  /**
   * For a person of an account: `client.as({ id: 'lina', role: 'payer' }).upgrade('acme', 'pro')`. The orders
   * of a `reader` are refused: `BillingApiError`, `forbidden`.
   */
  as(person: Person): Orders
  /** Whether the user may do this. In an outage the last known usage decides, else the policy. */
  consume(userId: string, limit: Limit, request: ConsumeRequest): Promise<Consumed>
  release(userId: string, limit: Limit, request: ReleaseRequest): Promise<Allowance>
  reportUsage(userId: string, limit: Limit, report: UsageReport): Promise<Allowance>
  /**
   * The events of all users in one order, the same that are delivered. Ask again with `after` as the
   * `next_cursor` of the answer before; after 90 days it is refused with `cursor_too_old`.
   */
  listEvents(query?: ListEventsQuery): Promise<Omit<EventPage, 'data'> & { data: BillingEvent[] }>
  /** The plans on sale. */
  plans(): Promise<Plan[]>
  /** The offers, in the order of the plans, the shortest term first. */
  offers(): Promise<Offer[]>
  readonly verifyEvent: typeof verifyEvent
}

/**
 * `Limit` has the names of your own catalogue's limits: `createClient<'projects' | 'minutes'>({ … })`. Throws
 * `TypeError` if `url` or `apiKey` is malformed.
 */
export function createClient<Limit extends string = LimitName>(options: ClientOptions): Client<Limit> {
  const { whenUnreachable, rememberLimitsMs = 60_000, now = Date.now } = options
  const call = createCall(options)
  const calls = callsBy(call)
  const remembered = rememberLimits({ rememberLimitsMs, now })
  const counted =
    <Request extends Scope>(
      count: (userId: string, limit: string, request: Request) => Promise<Allowance>,
    ): typeof count =>
    async (userId, limit, request) => {
      const answer = await count(userId, limit, request)
      remembered.keep({ userId, limit, scopeId: scopeOf(request) }, answer)
      return answer
    }
  const consume = counted(calls.consume)
  return {
    ...calls,
    ...ordersBy(calls),
    ...listsBy(call),
    as: (person) => ordersBy(callsBy(call, person)),
    consume: async (userId, limit, request) => {
      try {
        return { ...(await consume(userId, limit, request)), source: 'billing' }
      } catch (error) {
        if (!(error instanceof BillingUnreachableError)) throw error
        const known = remembered.consume({ userId, limit, scopeId: scopeOf(request) }, request)
        return known ?? byPolicy(whenUnreachable === 'open')
      }
    },
    release: counted(calls.release),
    reportUsage: counted(calls.reportUsage),
    plans: () => call('GET', '/api/v1/billing/plans'),
    offers: () => call('GET', '/api/v1/billing/offers'),
    verifyEvent,
  }
}

function ordersBy(calls: UserOrders): Orders {
  return {
    ...calls,
    upgrade: (userId, plan) => calls.upgrade(userId, { plan }),
    redeem: (userId, code, free) => calls.redeem(userId, { code, ...free }),
  }
}

/** The service answers a purchase within 6 s. */
const PURCHASE_MS = 7_000
/** More than the 30 s that the service waits for a body. */
const UPLOAD_MS = 35_000
/** The first page after a start loads the fonts. Later ones wait at most 2 s for others. */
const PRINTED = { accept: 'application/pdf', withinMs: 10_000 } as const
/** The time limits of slower calls. */
const SETTINGS: { readonly [Name in keyof typeof CALLS]?: CallSettings } = {
  upgrade: { withinMs: 2 * PURCHASE_MS },
  createPayment: { withinMs: 2 * PURCHASE_MS },
  topUpBalance: { withinMs: 2 * PURCHASE_MS },
  uploadProof: { withinMs: 2 * UPLOAD_MS },
  redeem: { withinMs: PURCHASE_MS, once: true },
  startTrial: { once: true },
}

/** A method for each call of the service. */
function callsBy(call: Call, person?: Person): UserOrders & UserCalls {
  const methods = Object.entries<CallOf>(CALLS).map(([name, { method, path, list, gives, takes }]) => {
    const settings = {
      ...(gives === 'file' && PRINTED),
      ...SETTINGS[name as keyof typeof CALLS],
      ...(person && { person }),
    }
    const bodyOf = (input: unknown) =>
      takes === 'file' ? { file: input as Blob } : input === undefined ? {} : { body: Object(input) }
    const send = async (...given: readonly unknown[]) => {
      // The parts of the path come first, then the query or the body.
      const rest = [...given]
      const address = `/:user_id${path}`.replace(/:\w+/g, () => encodeURIComponent(String(rest.shift())))
      const [input] = rest
      const isRead = method === 'GET'
      const target = `/api/v1/platform/users${address}${isRead ? queryOf(Object(input)) : ''}`
      const sent = { ...settings, ...(isRead ? {} : bodyOf(input)) }
      const answer = await call<Readonly<Record<string, unknown>>>(method, target, sent)
      return list === undefined ? answer : answer[list]
    }
    return [name, send] as const
  })
  return Object.fromEntries(methods) as unknown as UserOrders & UserCalls
}

/** A method for each list of the platform. */
function listsBy(call: Call) {
  const lists = Object.entries(LISTS).map(([name, path]) => {
    return [name, (query: object = {}) => call('GET', `/api/v1/platform${path}${queryOf(query)}`)] as const
  })
  return Object.fromEntries(lists) as unknown as PlatformLists & Pick<Client, 'listEvents'>
}

interface CallOf {
  readonly method: string
  readonly path: string
  readonly list?: string
  readonly gives?: 'file'
  readonly takes?: 'file'
}

type Scope = Pick<UsageReport, 'project_id' | 'scope_id'>

function scopeOf({ project_id, scope_id }: Scope): string {
  return project_id ?? scope_id ?? ''
}

/** Begins with a question mark. Undefined values are left out. */
function queryOf(fields: object): string {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined)
  return said.length === 0
    ? ''
    : `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`
}

function byPolicy(allowed: boolean): Consumed {
  const unknown = { limit: null, used: null, remaining: null, resets_at: null } as const
  return { source: 'policy', allowed, ...unknown, reason: 'billing_unreachable' }
}
