// An act of operators is one object: name, roles, what it is on, input, texts, what it loads, decides and
// saves. From it come route, OpenAPI, command, form, preview, audit entry, repetition by `operation_id`,
// refusal in the trail, mounted call and the client's.
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Instant } from '../core/instant.js'
import { byLocale, type Locale, type Translated } from '../core/locale.js'
import type { Bound, Operator, Permission, Role } from '../core/role.js'
import { untilFresh } from '../database/database.js'
import { query } from '../http/schemas.js'
import type { InTurn } from '../runtime/async.js'
import { type AuditDeps, type By, type FoundAct, requireUnchanged } from './audit.sql.js'
import type { ActForm } from './form.js'
import type { OperatorClient } from './operator-client.js'
import type { Preview } from './preview.js'
import { operationId } from './reason.js'
import type { Subject } from './subject.js'

/** An act as it is asked for. */
export interface Call<Input> {
  /** Of the subject; '' where it has none. */
  readonly id: string
  readonly input: Input
  readonly by: By
}

export interface ActDeps extends AuditDeps {
  /** Changes of one user that have lost a race wait for each other, as long as they are of this process. */
  readonly inTurn: InTurn
}

/** What is said of every act, however it does its work. */
interface Said<Deps, Input extends TObject, File = unknown, Detail = unknown> {
  /** In the audit trail; what follows the dot ends its address: `payment.refund`. */
  readonly name: `${string}.${string}`
  /** Beside `owner`. */
  readonly roles: readonly Exclude<Role, 'owner'>[]
  /** Where what is asked for is more than these roles may; undefined: it is not. */
  more?(asked: Static<Input>, operator: Operator): Permission | undefined
  readonly bound?: Bound
  readonly ownersAlone?: true
  readonly on: Subject<Deps, File>
  /** Each operator says it for themselves: another one's `operation_id` is another sending. */
  readonly countsEach?: true
  /** In the OpenAPI document; of the preview with `preview` before it. */
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** What is asked for, `why` included. */
  readonly input: Input
  /** Of what is asked or answered, what is another for each target: it cannot be done to a list at once. */
  readonly each?: readonly string[]
  /**
   * Where more is asked for than an address holds, or what none may hold: the preview is a POST to
   * `…/preview`, and so is the question of the console.
   */
  readonly asksByPost?: { readonly bodyLimit: number }
  /** Of what was asked for, what the trail keeps; absent: all. */
  keeps?(asked: Static<Input>): object
  /** Of the input, what the trail does not name. */
  readonly secret?: readonly string[]
  /** Of the input, what the preview tells instead of asking for it. */
  readonly tells?: readonly string[]
  readonly refuses?: readonly ErrorCode[]
  /** Absent: the file of what it is on. */
  readonly answer?: TSchema | ((deps: Deps) => TSchema)
  /** Title of its button and page, and a sentence under it. */
  readonly texts: { readonly title: Translated; readonly text: Translated }
  /** Null: the console has none. */
  readonly form?: ActForm<Deps, File, Detail> | null
  /** Null: it has none of its own. */
  readonly command?: CommandOf | null
  /**
   * What `run` does after it has written the entry of the audit trail. A repetition does it before it
   * answers: the first sending may still be at work, or its process may have died.
   */
  finish?(deps: Deps, call: Call<Static<Input>>, earlier: FoundAct): Promise<unknown>
  /** `outcome`: of `run`; where it was done before, `earlier` tells what was done. */
  show?(deps: Deps, call: Call<Static<Input>>, outcome: unknown, earlier?: FoundAct): Promise<unknown>
  /** Where the preview's shape is its own. */
  readonly previews?: { readonly schema: TSchema; view(preview: Preview<Detail>): unknown }
}

/** An answer of the API, as a command reads it. */
export type CommandAnswer = Readonly<Record<string, unknown>>

/** Where a command is more than its group, name and answer. */
export interface CommandOf {
  /** In place of `payments refund <payment>`. */
  readonly usage?: string
  /** Of the answer, what is printed. Throws `CommandFailed`. */
  show?(answer: CommandAnswer, argument: string): CommandAnswer
  /** By an e-mail address, which payments of its user may be meant. */
  isMeant?(payment: CommandAnswer): boolean
  /** What to type instead, where that is known. */
  advise?(refused: { readonly code: string; readonly members: object }): string | null
  /** Another form of the answer, for a program: `--csv`. */
  readonly asFile?: {
    readonly flag: string
    readonly description: string
    write(answer: CommandAnswer): string
  }
  /** Goes on after the first answer until the work is done; gives the last answer. */
  follow?(client: OperatorClient, answer: string, onDone: (done: number) => void): Promise<string>
  /** For a supervisor or a script: what fails, for stderr and the exit code; null: nothing does. */
  judge?(answer: CommandAnswer): string | null
}

/** Loads facts, decides on them, saves what belongs together. The preview is the first two. */
interface Decides<Deps, Input, Facts extends { readonly version: number }, Decision, Detail> {
  load(deps: Deps, call: Call<Input>): Promise<Facts>
  /** Throws what refuses the act; null: there is nothing to change. */
  decide(facts: Facts, call: Call<Input>, now: Instant, deps: Deps): Decision | null
  /** `stale`: the facts have changed since they were loaded; it is decided again. */
  save(
    deps: Deps,
    call: Call<Input>,
    decided: { readonly facts: Facts; readonly decision: Decision; readonly now: Instant },
  ): Promise<'saved' | 'stale'>
  preview(
    decided: { readonly facts: Facts; readonly decision: Decision | null; readonly now: Instant },
    deps: Deps,
  ): Omit<Preview<Detail>, 'version'>
}

/** For what asks the network, or more than one statement: written out. */
interface Does<Deps, Input, Detail> {
  run(deps: Deps, call: Call<Input>): Promise<unknown>
  preview(deps: Deps, call: Call<Input>): Promise<Preview<Detail>>
}

/** As the frames know it: what comes in was checked against `input`. */
export interface Act<Deps = never> extends Omit<Said<Deps, TObject>, 'show' | 'more' | 'keeps' | 'finish'> {
  readonly kind: 'act'
  /** `input`, and `operation_id` beside it. */
  readonly body: TObject
  /** `input` without the reason and without what it `tells`: what the preview is asked with. */
  readonly asked: TObject
  more?(asked: object, operator: Operator): Permission | undefined
  keeps?(asked: object): object
  finish?(deps: Deps, call: Call<unknown>, earlier: FoundAct): Promise<unknown>
  show?(deps: Deps, call: Call<unknown>, outcome: unknown, earlier?: FoundAct): Promise<unknown>
  run(deps: Deps, call: Call<unknown>): Promise<unknown>
  preview(deps: Deps, call: Call<unknown>): Promise<Preview>
}

/** `Deps`: the parts of the service that it reads. */
export function act<Deps extends ActDeps>() {
  return {
    decides: <
      Input extends TObject,
      File,
      Facts extends { readonly version: number },
      Decision,
      Detail = null,
    >(
      declared: Said<Deps, Input, File, Detail> & Decides<Deps, Static<Input>, Facts, Decision, Detail>,
    ): Act<Deps> => made(declared, decided(declared)),
    does: <Input extends TObject, File, Detail = null>(
      declared: Said<Deps, Input, File, Detail> & Does<Deps, Static<Input>, Detail>,
    ): Act<Deps> => made(declared, declared),
  }
}

const NAMED =
  'Names this sending: sent again it is answered the same and counts once; 409 where it asks for ' +
  'something else'

function made<Deps, Input extends TObject, File, Detail>(
  declared: Said<Deps, Input, File, Detail>,
  { run, preview }: Does<Deps, Static<Input>, Detail>,
): Act<Deps> {
  const schemas = schemasOf(declared)
  // What the frames hand over has passed the schema that `Input` is the type of.
  return { ...declared, ...schemas, kind: 'act' as const, run, preview } as unknown as Act<Deps>
}

/** Acts that ask for the same have one shape in the OpenAPI document, under the name of their input. */
const shapes = new Map<TObject, Pick<Act, 'body' | 'asked'>>()

function schemasOf({ input, tells = [] }: Pick<Act, 'input' | 'tells'>): Pick<Act, 'body' | 'asked'> {
  const known = shapes.get(input)
  if (known) return known
  const asked = Object.entries(input.properties).filter(([name]) => ![...tells, 'why'].includes(name))
  const name = 'title' in input ? { title: String(input.title) } : {}
  const named = { additionalProperties: false, ...name }
  const made = {
    body: Type.Object({ ...input.properties, operation_id: operationId(NAMED) }, named),
    asked: query(Object.fromEntries(asked)),
  }
  shapes.set(input, made)
  return made
}

function decided<Deps extends ActDeps, Input, Facts extends { readonly version: number }, Decision, Detail>({
  name,
  on,
  load,
  decide,
  save,
  preview,
}: Pick<Said<Deps, TObject>, 'name' | 'on'> & Decides<Deps, Input, Facts, Decision, Detail>): Does<
  Deps,
  Input,
  Detail
> {
  return {
    run: async (deps, call) => {
      const round = async () => {
        const facts = await load(deps, call)
        const now = deps.clock.now()
        const decision = decide(facts, call, now, deps)
        if (decision === null) return 'unchanged' as const
        requireUnchanged(call.by, facts.version)
        return save(deps, call, { facts, decision, now })
      }
      return untilFresh(name, round, async (again) => {
        const { userId } = await on.about(deps, call.id, Object(call.input))
        return deps.inTurn(userId, again)
      })
    },
    preview: async (deps, call) => {
      const facts = await load(deps, call)
      const now = deps.clock.now()
      const decision = decide(facts, call, now, deps)
      return { version: facts.version, ...preview({ facts, decision, now }, deps) }
    },
  }
}

/** `refund` of `payment.refund`. */
export function verbOf({ name }: Pick<Act, 'name'>): string {
  return name.slice(name.indexOf('.') + 1).replaceAll('_', '-')
}

/** Of the words of the folder of the act, which are loaded before the act is. */
type Named<Name extends string> = Readonly<Record<`act_${Name}` | `text_${Name}`, string>>

export function actTexts<Name extends string>(
  words: Readonly<Record<Locale, { readonly console: Named<Name> }>>,
  name: Name,
) {
  return {
    title: byLocale((locale) => words[locale].console[`act_${name}`]),
    text: byLocale((locale) => words[locale].console[`text_${name}`]),
  }
}
