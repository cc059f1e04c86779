// A reading of operators is one object. The route, the OpenAPI document and the command are made from it.
import type { FastifyReply } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Operator, Role } from '../core/role.js'
import { query } from '../http/schemas.js'
import type { ShownColumns } from './cli-tables.js'

interface Asked<Params, Query> {
  readonly params: Params
  readonly query: Query
}

/** One request to read. `reply` is for the headers of a file. */
interface ReadingRequest<Params, Query> extends Asked<Params, Query> {
  readonly operator: Operator
  readonly reply: FastifyReply
  /** The body if the reading `takes` a file, else empty. */
  readonly file: Buffer
  /** A link of the console opens the file, so the browser may show it. */
  readonly isLinked: boolean
}

export type CommandAnswer = Readonly<Record<string, unknown>>

export interface CommandOf {
  readonly usage: string
  /** The columns of the lists that `show` returns. */
  readonly columns?: ShownColumns
  /** The answer is a file. It is printed, or written to the new file of `--out`. */
  readonly isFile?: 'printed' | 'new'
  /** Selects what the command prints. Throws `CommandFailed`. */
  show?(answer: CommandAnswer, argument: string): CommandAnswer
  /** What is wrong, for stderr; the command then exits with 1. Null: nothing is. */
  judge?(answer: CommandAnswer): string | null
}

interface ReadingDeclaration<Deps, Params extends TObject, Query extends TObject> {
  /** The name of the permission. If it and `roles` are absent, every role may read. */
  readonly name?: string
  /** The roles that may read besides `owner`. */
  readonly roles?: readonly Exclude<Role, 'owner'>[]
  /** POST if it continues the work that an act began, which may be repeated at will; GET if absent. */
  readonly method?: 'POST'
  /** The body is a file of any type. */
  readonly takes?: { readonly mostBytes: number }
  /** Starts below the address of the operator's API. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly params?: Params
  readonly query?: Query
  readonly refuses?: readonly ErrorCode[]
  /** The schema of the answer, or the description of a file. Some schemas depend on the catalogue. */
  readonly answer: TSchema | object | ((deps: Deps) => TSchema | object)
  /** Null: there is no command. */
  readonly command: CommandOf | null
  /** Links of the console open it at the same path; those of another site lead to this page instead. */
  linkedOn?(asked: Asked<Static<Params>, Static<Query>>): string
  read(deps: Deps, asked: ReadingRequest<Static<Params>, Static<Query>>): Promise<unknown> | FastifyReply
}

export interface Reading<Deps = never> extends ReadingDeclaration<Deps, TObject, TObject> {
  readonly params: TObject
  readonly query: TObject
}

export const NOTHING = query({})
export type NoMembers = TObject<Record<never, never>>

export const reading =
  <Deps>() =>
  <Params extends TObject = NoMembers, Query extends TObject = NoMembers>(
    declared: ReadingDeclaration<Deps, Params, Query>,
  ): Reading<Deps> => ({ params: NOTHING, query: NOTHING, ...declared })
