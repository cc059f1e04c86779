// An act of operators is one object: name, roles, subject, input, and a plan of what it changes. The frames
// make everything else from it: the route, its preview, the OpenAPI document, the command, the console's
// form, the audit entry, and the calls of hosts and the client.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { mostOf, type Operator, type Permission, requireRole } from '../core/role.js'
import { query } from '../http/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field, Typed } from '../pages/field.js'
import type { InTurn } from '../runtime/async.js'
import type { AuditDeps, FoundAct, OperatorAct, Requester } from './audit.sql.js'
import type { Change } from './preview.js'
import { operationId } from './reason.js'
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

const OPERATION_ID = operationId(
  'Names this sending: sent again it is answered the same and counts once; 409 where it asks for ' +
    'something else',
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
