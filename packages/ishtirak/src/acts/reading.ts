// A reading of operators is one object too, which gives its route, OpenAPI and command.
import type { FastifyReply } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Operator, Role } from '../core/role.js'
import { query } from '../http/schemas.js'
import type { ShownColumns } from './cli-tables.js'

/** The question, and the operator who asks. `reply`: for the fields of a file's header. */
interface Asked<Params, Query> {
  readonly params: Params
  readonly query: Query
  readonly operator: Operator
  readonly reply: FastifyReply
  /** What was sent, where it `takes` a file; else nothing. */
  readonly file: Buffer
}

/** An answer of the API, as a command reads it. */
export type CommandAnswer = Readonly<Record<string, unknown>>

/** The command of a reading. */
export interface CommandOf {
  readonly usage: string
  /** Of what `show` gives. */
  readonly columns?: ShownColumns
  /** The answer is a file: it is printed, or written to the new file that `--out` names. */
  readonly isFile?: 'printed' | 'new'
  /** Of the answer, what is printed. Throws `CommandFailed`. */
  show?(answer: CommandAnswer, argument: string): CommandAnswer
  /** For a supervisor or a script: what fails, for stderr and the exit code; null: nothing does. */
  judge?(answer: CommandAnswer): string | null
}

interface Said<Deps, Params extends TObject, Query extends TObject, Answer> {
  /** As refusals and the trail name it; absent with `roles`: every role may read it. */
  readonly name?: string
  /** Beside `owner`, those who may. */
  readonly roles?: readonly Exclude<Role, 'owner'>[]
  /** POST: it goes on with what an act began, and may be asked as often as one likes; absent: GET. */
  readonly method?: 'POST'
  /** The body is a file, of any type. */
  readonly takes?: { readonly mostBytes: number }
  /** Below the operator's API. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly refuses?: readonly ErrorCode[]
  /** A schema, or what is answered with a file. Some answers depend on the catalogue. */
  readonly answer: Answer | ((deps: Deps) => Answer)
  /** Null: there is none. */
  readonly command: CommandOf | null
  read(deps: Deps, asked: Asked<Static<Params>, Static<Query>>): Promise<unknown> | FastifyReply
}

export interface Reading<Deps = never>
  extends Required<Pick<Said<Deps, TObject, TObject, TSchema | object>, 'params' | 'query'>>,
    Omit<Said<Deps, TObject, TObject, TSchema | object>, 'params' | 'query' | 'read'> {
  readonly kind: 'reading'
  read(deps: Deps, asked: Asked<unknown, unknown>): Promise<unknown> | FastifyReply
}

const NOTHING = query({})

/** `Deps`: the parts of the service that it reads. */
export function reading<Deps>() {
  return {
    reads: <
      Params extends TObject = TObject<Record<never, never>>,
      Query extends TObject = TObject<Record<never, never>>,
    >(
      declared: Said<Deps, Params, Query, TSchema | object>,
    ): Reading<Deps> => {
      const made = { params: NOTHING, query: NOTHING, ...declared, kind: 'reading' as const }
      // What the frames hand over has passed the schemas that `Params` and `Query` are the types of.
      return made as unknown as Reading<Deps>
    },
  }
}
