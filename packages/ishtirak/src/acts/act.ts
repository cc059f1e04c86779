// An act of operators is one object: name, roles, subject, input, and a plan of what it changes. The frames
// make everything else from it: the route, its preview, the OpenAPI document, the command, the console's
// form, the audit entry, and the calls of hosts and the client. An act's author needs `act`, the kinds of
// `change` and the schema of the reason.
import { isDeepStrictEqual } from 'node:util'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import type { DocumentSnapshot } from '../core/receipt.js'
import { mostOf, type Operator, type Permission, requireRole } from '../core/role.js'
import {
  type BillingRules,
  type Subscription,
  type SubscriptionFacts,
  statusAt,
} from '../core/subscription.js'
import { query, request } from '../http/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field, Typed } from '../pages/field.js'
import type { InTurn } from '../runtime/async.js'
import type { AuditDeps, FoundAct, OperatorAct, Requester } from './audit.sql.js'
import type { Subject } from './subject.js'

export interface Call<Input, By extends Requester = OperatorAct> {
  /** The id of the subject; '' if the subject has none. */
  readonly id: string
  readonly input: Input
  readonly by: By
}

export interface ActDeps extends AuditDeps {
  /** Runs changes of one user after each other, once they have lost a race. It covers this process only. */
  readonly inTurn: InTurn
}

/** The decision of an act, before it is saved. */
export interface ActPlan {
  /** The version of the facts that were loaded; 0 if they have none. */
  readonly version: number
  readonly changes: readonly Change[]
  /** Computed members of the input, which the form sends in hidden fields. */
  readonly carried?: Typed
  /** Returns the outcome; `stale` if the facts changed since: then the act is planned again. */
  save(): Promise<unknown>
}

const RANKS: readonly Act['rank'][] = ['common', undefined, 'destructive']

export function byRank(one: Pick<Act, 'rank'>, other: Pick<Act, 'rank'>): number {
  return RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank)
}

/** An act as its capability declares it. `Given` is the type of what `input` describes. */
interface ActDeclaration<Deps, Input extends TObject, Given, File> extends Permission {
  /**
   * The name in the audit trail, such as `payment.refund`. The part after the dot ends the act's address. The
   * console has three texts for it: a title (`act_payment.refund`), an explanation (`text_…`), and a
   * sentence about what was done (`did_…`).
   */
  readonly name: `${string}.${string}`
  readonly on: Subject<Deps, File>
  /** The id in the OpenAPI document. The id of the preview begins with `preview`. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** The schema of the request, with `why` but without `operation_id`. */
  readonly input: Input
  /** The console shows common acts first, and destructive ones last and apart. */
  readonly rank?: 'common' | 'destructive'
  /** Operators can do it to each item of a list, with the same input. */
  readonly bulk?: true
  /** One `operation_id` of two operators is two acts: a second approval comes from another person. */
  readonly countsEach?: true
  /** Members that are too private or too long for an address and the trail. The preview is then a POST. */
  readonly secret?: readonly string[]
  readonly refuses?: readonly ErrorCode[]
  /** If absent, the act answers the file of its subject. */
  readonly answer?: Answer<Deps, Given>
  /** Whether the console offers the act for this subject and configuration; if absent, always. */
  isOffered?(file: File, deps: Deps): boolean
  /** A field `why` replaces the usual one. If absent, the form asks for the input's required members. */
  fields?(
    pages: ConsolePages & Deps,
    view: View,
    of: { readonly id: string; readonly typed: Typed },
  ): Promise<readonly Field[]>
  /** The evidence that stands beside the form, such as a proof; null: there is none. */
  beside?(pages: ConsolePages & Deps, view: View, id: string): Promise<JSX.Element | null>
  /** The page after the act, for a result that is shown only once, such as a key. */
  page?(
    pages: ConsolePages & Deps,
    view: View,
    done: ShownOnce,
  ): { readonly html: string; readonly headers: Readonly<Record<string, string>> }
  /** Loads and decides. Throws the refusal. */
  plan(deps: Deps, call: Call<Given>): Promise<ActPlan>
  /**
   * Work to do after the audit entry is committed. A repetition of the call does it too, because the first
   * process may have died before it. `done` is the outcome of `save`; for a repetition, it is the `FoundAct`.
   */
  finish?(deps: Deps, call: Call<Given, Requester>, done: unknown): Promise<unknown>
}

interface Answer<Deps, Input> {
  readonly schema: TSchema | ((deps: Deps) => TSchema)
  /** For a repetition `outcome` is undefined, and `earlier` is the entry of the first call. */
  read(deps: Deps, call: Call<Input, Requester>, outcome: unknown, earlier?: EarlierAct): Promise<unknown>
}

type EarlierAct = Pick<FoundAct, 'id' | 'after'>

export interface ShownOnce {
  readonly outcome: unknown
  readonly typed: Typed
  /** The address of the page that the operator opens next. */
  readonly next: string
}

/** An act with the schemas that are made from its input. `Deps`: the parts of the service that it reads. */
export interface Act<Deps = never> extends ActDeclaration<Deps, TObject, unknown, unknown> {
  /** The body of the POST: `input` and `operation_id`. */
  readonly requestBody: TObject
  /** `input` without the reason: what the form asks for before it shows the changes. */
  readonly withoutReason: TObject
  /** `withoutReason`. If the preview is a GET, arrays are left out, because an address cannot carry them. */
  readonly previewInput: TObject
}

export const act =
  <Deps extends ActDeps>() =>
  <Input extends TObject, File = unknown>(
    declared: ActDeclaration<Deps, Input, Static<Input>, File>,
  ): Act<Deps> => ({ ...declared, ...schemasOf(declared) })

/** Names a request, so that a repetition is not done twice. */
const OPERATION_ID = Type.Optional(
  Type.String({
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
    maxLength: 128,
    description:
      'Names this sending: sent again it is answered the same and counts once; 409 where it asks for ' +
      'something else',
    examples: ['ticket-4711'],
  }),
)

type Schemas = Pick<Act, 'requestBody' | 'withoutReason' | 'previewInput'>

/** Acts with the same input share their schemas, so the OpenAPI document has each of them once. */
const shared = new Map<TObject, Schemas>()

function schemasOf({ input, secret }: Pick<Act, 'input' | 'secret'>): Schemas {
  const known = shared.get(input)
  if (known) return known
  const { why: _, ...members }: Record<string, TSchema> = input.properties
  const asked = Object.entries(members).filter(([, schema]) => secret || Object(schema).type !== 'array')
  const options = { additionalProperties: false, ...('title' in input && { title: String(input.title) }) }
  const schemas = {
    requestBody: Type.Object({ ...input.properties, operation_id: OPERATION_ID }, options),
    withoutReason: query(members),
    previewInput: query(Object.fromEntries(asked)),
  }
  shared.set(input, schemas)
  return schemas
}

/** Throws `role_not_allowed`, also if `input` is beyond the bound of the role. */
export function requireAllowed(
  act: Pick<Act, keyof Permission>,
  operator: Operator,
  input: Readonly<Record<string, unknown>>,
): void {
  const asked = act.bound?.of === undefined ? null : input[act.bound.of]
  const isBeyond = typeof asked === 'number' && asked > (mostOf(operator, act) ?? asked)
  requireRole(operator, isBeyond && act.bound ? act.bound.beyond : act)
}

/** `refund` of `payment.refund`. */
export function verbOf({ name }: Pick<Act, 'name'>): string {
  return name.slice(name.indexOf('.') + 1).replaceAll('_', '-')
}

/** A decided change, not yet saved. By its kind, console, commands and API show it without its act. */
interface ChangeOf<Kind extends string, Value> {
  readonly kind: Kind
  /** A key of the console's texts. */
  readonly what: string
  /** If the act changes several things, which one: the id of a payment, the name of an operator. */
  readonly of: string | null
  /** The console shows this name instead of `of`. */
  readonly name?: string | null
  /** Null: no value. If it equals `after`, the value stays, and the decision depends on it. */
  readonly before: Value | null
  readonly after: Value | null
}
export type Change = ReturnType<(typeof change)[keyof typeof change]>

const ofKind =
  <Kind extends string, Value>(kind: Kind) =>
  (
    what: string,
    before: Value | null,
    after: Value | null = before,
    of: string | null = null,
  ): ChangeOf<Kind, Value> => ({ kind, what, of, before, after })

const access = ofKind<'access', Subscription>('access')
const status = ofKind<'status', string>('status')
const receipt = ofKind<'receipt', DocumentSnapshot>('receipt')

/** `change.dinars('userBalance', 500, 2500)`; a value that stays: `change.dinars('amount', 2000)`. */
export const change = {
  /** `after` is the facts as the decision would leave them. */
  access: (before: SubscriptionFacts, after: SubscriptionFacts, now: Instant, rules: BillingRules) =>
    access('access', statusAt(before, now, rules), statusAt(after, now, rules)),
  /** The status of a payment. */
  status: (before: string, after: string) => status('status', before, after),
  dinars: ofKind<'dinars', number>('dinars'),
  count: ofKind<'count', number>('count'),
  instant: ofKind<'instant', Instant>('instant'),
  span: ofKind<'span', { readonly start: Instant; readonly end: Instant }>('span'),
  /** The value is a key of the console's texts. */
  state: ofKind<'state', string>('state'),
  /** A text that is shown unchanged. */
  text: ofKind<'text', string>('text'),
  mailed: ofKind<'mailed', string>('mailed'),
  /** Why an event was not accepted. */
  failure: ofKind<'failure', string>('failure'),
  /** The differences between a payment and its report, as `describeDifference` writes them. */
  differences: ofKind<'differences', string>('differences'),
  /** The receipt that would be written; null: nothing is booked. */
  receipt: (snapshot: DocumentSnapshot | null) => receipt('receiptWillSay', snapshot),
}

/** True for a value that stays and is shown only because the decision depends on it. */
export function isUnchanged({ before, after }: Change): boolean {
  return isDeepStrictEqual(before, after)
}

/** One line with a visible letter or digit. The pattern reads each character at most twice. */
const REASON_PATTERN = '^(?=[^\\p{Cc}]*?(?!\\p{DI})[\\p{L}\\p{N}])[^\\p{Cc}]*$'
const REASON_MAX = 500

export const reason = Type.String({
  pattern: REASON_PATTERN,
  maxLength: REASON_MAX,
  description: 'Goes into the audit trail',
  examples: ['charged twice, ticket 4711'],
})

export function isReason(text: string): boolean {
  return text.length <= REASON_MAX && new RegExp(REASON_PATTERN, 'u').test(text)
}

export const WhySchema = request('Reason', { why: reason })
export const OptionalWhySchema = request('OptionalReason', { why: Type.Optional(reason) })
