// An act of operators is one object: name, roles, what it is on, input, and a plan of what it changes.
// From it come route, OpenAPI, command, form, preview, audit entry, repetition by `operation_id`, refusal in
// the trail, mounted call and the client's.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { mostOf, type Operator, type Permission, requireRole } from '../core/role.js'
import { query } from '../http/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { Field, Typed } from '../pages/field.js'
import type { InTurn } from '../runtime/async.js'
import type { AuditDeps, By, FoundAct, OperatorAct } from './audit.sql.js'
import type { Change } from './preview.js'
import { operationId } from './reason.js'
import type { Subject } from './subject.js'

/** One request to do an act. */
export interface Call<Input, Asker extends By = OperatorAct> {
  /** The id of the subject; '' if the subject has none. */
  readonly id: string
  readonly input: Input
  readonly by: Asker
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
  /** Members of the input that the form sends unseen. They are computed, not typed. */
  readonly carried?: Typed
  /**
   * Returns the outcome, or `stale` if the facts changed since they were loaded. Then the act is planned
   * again.
   */
  save(): Promise<unknown>
}

type Done = Pick<FoundAct, 'id' | 'after'>

const RANKS: readonly Act['rank'][] = ['common', undefined, 'destructive']

/** Common acts first, destructive ones last. */
export function byRank(one: Pick<Act, 'rank'>, other: Pick<Act, 'rank'>): number {
  return RANKS.indexOf(one.rank) - RANKS.indexOf(other.rank)
}

/** What an act declares. `Given` is the type of what `input` describes. */
interface Declared<Deps, Input extends TObject, Given, File> extends Permission {
  /**
   * The audit trail uses this name; what follows the dot ends its address: `payment.refund`. The console has
   * a title (`act_payment.refund`) and a sentence (`text_…`) for it, and one of what was done (`did_…`).
   */
  readonly name: `${string}.${string}`
  readonly on: Subject<Deps, File>
  /** The name in the OpenAPI document. The preview's has `preview` in front. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** The request, with `why`. */
  readonly input: Input
  /** The console shows common acts first, and destructive ones last and apart. */
  readonly rank?: 'common' | 'destructive'
  /** True if operators can do it to each of a list, with the same input. */
  readonly bulk?: true
  /** Two operators count twice with one `operation_id`: a second approval must be another person's. */
  readonly countsEach?: true
  /** Members of the input that the audit trail leaves out. */
  readonly secret?: readonly string[]
  /** The preview is a POST to `…/preview`, because the input is too long or too private for an address. */
  readonly asksByPost?: true
  readonly refuses?: readonly ErrorCode[]
  /** If absent, the act answers the file of its subject. */
  readonly answer?: Answer<Deps, Given>
  /**
   * Whether the console offers the act for this subject and this configuration. If absent, it always does.
   */
  isOffered?(file: File, deps: Deps): boolean
  /**
   * The fields of the form. A field `why` replaces the usual field of the reason. If absent, the form asks
   * for the required members of the input.
   */
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
    done: MadeOnce,
  ): { readonly html: string; readonly headers: Readonly<Record<string, string>> }
  /** Loads and decides. Throws the refusal. */
  plan(deps: Deps, call: Call<Given>): Promise<ActPlan>
  /**
   * Work after the entry of the audit trail is committed. A repetition does it too: the process of the first
   * call may have died before. `done` is the outcome of `save`, or for a repetition the entry (`FoundAct`).
   */
  finish?(deps: Deps, call: Call<Given, By>, done: unknown): Promise<unknown>
}

interface Answer<Deps, Input> {
  readonly schema: TSchema | ((deps: Deps) => TSchema)
  /**
   * `outcome` is that of `save`. For a repetition it is undefined, and `earlier` is the entry of the first
   * call.
   */
  read(deps: Deps, call: Call<Input, By>, outcome: unknown, earlier?: Done): Promise<unknown>
}

export interface MadeOnce {
  readonly outcome: unknown
  readonly typed: Typed
  /** The page that the reader goes on to. */
  readonly next: string
}

/** An act with the schemas that are made from its input. `Deps`: the parts of the service that it reads. */
export interface Act<Deps = never> extends Declared<Deps, TObject, unknown, unknown>, Schemas {}

interface Schemas {
  /** The body of the POST: `input` and `operation_id`. */
  readonly requestBody: TObject
  /** `input` without the reason: what the form asks for before it shows the changes. */
  readonly withoutReason: TObject
  /** `withoutReason`, less its arrays if the preview is a GET. */
  readonly previewInput: TObject
}

export const act =
  <Deps extends ActDeps>() =>
  <Input extends TObject, File = unknown>(
    declared: Declared<Deps, Input, Static<Input>, File>,
  ): Act<Deps> => ({ ...declared, ...schemasOf(declared) })

const NAMED =
  'Names this sending: sent again it is answered the same and counts once; 409 where it asks for ' +
  'something else'

/** Acts with the same input share their schemas, so the OpenAPI document has each of them once. */
const shared = new Map<TObject, Schemas>()

function schemasOf({ input, asksByPost }: Pick<Act, 'input' | 'asksByPost'>): Schemas {
  const known = shared.get(input)
  if (known) return known
  const { why: _, ...members }: Record<string, TSchema> = input.properties
  const fits = Object.entries(members).filter(([, schema]) => asksByPost || Object(schema).type !== 'array')
  const named = { additionalProperties: false, ...('title' in input && { title: String(input.title) }) }
  const schemas = {
    requestBody: Type.Object({ ...input.properties, operation_id: operationId(NAMED) }, named),
    withoutReason: query(members),
    previewInput: query(Object.fromEntries(fits)),
  }
  shared.set(input, schemas)
  return schemas
}

/**
 * Throws `role_not_allowed` if the role may not do the act, or if `input` is beyond the bound of the role.
 */
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
