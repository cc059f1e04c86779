// An act of operators is one object: name, roles, what it is on, input, and a plan of what it changes.
// From it come route, OpenAPI, command, form, preview, audit entry, repetition by `operation_id`, refusal in
// the trail, mounted call and the client's.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import { mostOf, type Operator, type Permission, requireRole } from '../core/role.js'
import { query } from '../http/schemas.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import type { InTurn } from '../runtime/async.js'
import type { Field, Typed } from './act-page.js'
import type { AuditDeps, By, FoundAct, OperatorAct } from './audit.sql.js'
import type { Change } from './preview.js'
import { operationId } from './reason.js'
import type { Subject } from './subject.js'

/** An act as it is asked for; it is planned by its name. */
export interface Call<Input, Asker extends By = OperatorAct> {
  /** Of the subject; '' where it has none. */
  readonly id: string
  readonly input: Input
  readonly by: Asker
}

export interface ActDeps extends AuditDeps {
  /** Changes of one user that have lost a race wait for each other, as long as they are of this process. */
  readonly inTurn: InTurn
}

/** What an act would do, loaded and decided. */
export interface ActPlan {
  /** Of the facts that this was decided on; 0 where they have none. */
  readonly version: number
  readonly changes: readonly Change[]
  /** Of the input, what the form sends without having asked for it. */
  readonly told?: Typed
  /** Gives the outcome. `stale`: the facts have changed since they were loaded, and it is planned again. */
  save(): Promise<unknown>
}

type Done = Pick<FoundAct, 'id' | 'after'>

const RANKS = { common: 0, destructive: 2 }

/** Common acts first, destructive ones last. */
export function byRank(one: Pick<Act, 'rank'>, other: Pick<Act, 'rank'>): number {
  const rank = (of: Pick<Act, 'rank'>) => (of.rank ? RANKS[of.rank] : 1)
  return rank(one) - rank(other)
}

/** What every act says of itself. */
interface Declared<Deps, Input extends TObject, File = unknown> extends Permission {
  /**
   * The audit trail uses this name; what follows the dot ends its address: `payment.refund`. The console has a
   * title (`act_payment.refund`) and a sentence (`text_…`) for it, and one of what was done (`did_…`).
   */
  readonly name: `${string}.${string}`
  readonly on: Subject<Deps, File>
  /** The name in the OpenAPI document. The preview's has `preview` in front. */
  readonly operationId: string
  readonly summary: string
  readonly description: string
  /** What is asked for, `why` included. */
  readonly input: Input
  /** Common ones stand first, and those that take something away last and apart. */
  readonly rank?: keyof typeof RANKS
  /** It can be done to each of a list, with the same input. */
  readonly bulk?: true
  /** Each operator says it for themselves: another one's `operation_id` is another sending. */
  readonly countsEach?: true
  /** Of the input, what the trail does not name. */
  readonly secret?: readonly string[]
  /** The preview is a POST to `…/preview`: an address may not hold what is asked, or not all of it. */
  readonly asksByPost?: true
  readonly refuses?: readonly ErrorCode[]
  /** Absent: the file of what it is on. */
  readonly answer?: Answer<Deps, Static<Input>>
  /** In the console, by the state of what it is on and how the service is set up; absent: always. */
  isOffered?(file: File, deps: Deps): boolean
  /** What the form asks beside the reason; one that is called `why` takes its place. Absent: by the input. */
  fields?(pages: ConsolePages & Deps, view: View, of: Asked): Promise<readonly Field[]>
  /** What an operator looks at while they decide. Null: there is nothing to look at. */
  beside?(pages: ConsolePages & Deps, view: View, id: string): Promise<JSX.Element | null>
  /** What it made, on a page of the console that nothing shows again. */
  page?(pages: ConsolePages & Deps, view: View, done: MadeOnce): Page
  /** Throws what refuses the act. */
  plan(deps: Deps, call: Call<Static<Input>>): Promise<ActPlan>
  /**
   * What follows after the entry of the audit trail is written. A repetition does it before it answers: the
   * first sending may still be at work, or its process may have died. `done`: the outcome of `save`, or of a
   * repetition the entry (`FoundAct`).
   */
  finish?(deps: Deps, call: Call<Static<Input>, By>, done: unknown): Promise<unknown>
}

interface Answer<Deps, Input> {
  readonly schema: TSchema | ((deps: Deps) => TSchema)
  /** `outcome`: of `save`; where it was done before, `earlier` tells what was done. */
  read(deps: Deps, call: Call<Input, By>, outcome: unknown, earlier?: Done): Promise<unknown>
}

/** What a form is of. `id` is '' for a list, and where there is none. */
interface Asked {
  readonly id: string
  readonly typed: Typed
}

interface MadeOnce {
  readonly outcome: unknown
  readonly typed: Typed
  /** Where its reader goes on. */
  readonly next: string
}

interface Page {
  readonly html: string
  readonly headers: Readonly<Record<string, string>>
}

/** As the frames know it: what comes in was checked against `input`. */
export interface Act<Deps = never> extends Omit<Declared<Deps, TObject>, 'plan' | 'finish' | 'answer'> {
  readonly kind: 'act'
  /** `input`, and `operation_id` beside it. */
  readonly body: TObject
  /** `input` without the reason: what a plan is made of. */
  readonly wanted: TObject
  /** What the preview is asked with: what of `wanted` an address can hold, or all by POST. */
  readonly asked: TObject
  readonly answer?: Answer<Deps, never>
  plan(deps: Deps, call: Call<unknown>): Promise<ActPlan>
  finish?(deps: Deps, call: Call<unknown, By>, done: unknown): Promise<unknown>
}

/** `Deps`: the parts of the service that it reads. */
export const act =
  <Deps extends ActDeps>() =>
  <Input extends TObject, File = unknown>(declared: Declared<Deps, Input, File>): Act<Deps> =>
    // What the frames hand over has passed the schema that `Input` is the type of.
    ({ ...declared, ...schemasOf(declared), kind: 'act' }) as unknown as Act<Deps>

const NAMED =
  'Names this sending: sent again it is answered the same and counts once; 409 where it asks for ' +
  'something else'

type Schemas = Pick<Act, 'body' | 'wanted' | 'asked'>

/** Acts that ask for the same have one shape in the OpenAPI document, under the name of their input. */
const shapes = new Map<TObject, Schemas>()

function schemasOf({ input, asksByPost }: Pick<Act, 'input' | 'asksByPost'>): Schemas {
  const known = shapes.get(input)
  if (known) return known
  const members = Object.entries<TSchema>(input.properties).filter(([name]) => name !== 'why')
  const asked = members.filter(([, { type }]: [string, { type?: string }]) => asksByPost || type !== 'array')
  const named = { additionalProperties: false, ...('title' in input && { title: String(input.title) }) }
  const made = {
    body: Type.Object({ ...input.properties, operation_id: operationId(NAMED) }, named),
    wanted: query(Object.fromEntries(members)),
    asked: query(Object.fromEntries(asked)),
  }
  shapes.set(input, made)
  return made
}

/** Throws `role_not_allowed`: the act is not allowed, or more is asked for than the bound of the role. */
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
