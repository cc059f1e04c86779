// A user's call is one object: name, method and path, input, answer, refusals, and what it runs. From it come
// the route for the user's token, the route for the platform's key, the call of a host that mounts the
// service, the OpenAPI document and the client's method.
import type { Readable } from 'node:stream'
import type { Static, TProperties, TSchema } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { UserIdentity } from '../http/auth.js'

/** A call as it is made: by the user, by the platform, or by a host. */
export interface UserRequest<Input = unknown, Param extends string = string> {
  readonly user: UserIdentity
  /** Where the caller finds what is the user's. Addresses in answers begin with it. */
  readonly api: string
  readonly requestId: string
  readonly params: Readonly<Record<Param, string>>
  readonly input: Input
  /** The language that the token says, or the profile; else `Accept-Language`; else Arabic. */
  locale(): Promise<Locale>
}

/** An answer that is bytes. A host and the client get `content` alone. */
export interface SentFile {
  /** Under which a browser saves it. */
  readonly name: string
  readonly content: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface FileAnswer {
  readonly file: 'application/pdf' | 'text/csv'
  readonly description: string
}

type Of<Deps, Schema> = Schema | ((deps: Deps) => Schema)
type InputSchema = TSchema | 'file'
type AnswerSchema = TSchema | FileAnswer

/** What is said of every call. */
interface Said<Deps> {
  /** In the client, and for a host. */
  readonly name: string
  /** In the OpenAPI document; of the platform's route with `ForUser` behind it. */
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** Where the document has the user's own route, `billing` if absent. */
  readonly tag?: 'portal'
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the address of the user. */
  readonly path: string
  /** The platform alone may call it: it has no route for the user's token. */
  readonly byPlatform?: true
  /** It orders nothing although its method changes something, so a `reader` may call it. */
  readonly forReaders?: true
  /** A HEAD would count as the first reading of the document and show nothing. */
  readonly withoutHead?: true
  /** `hidden`: it is served and not in the document. `absent`: it is answered 404. `shown` if undefined. */
  offered?(deps: Deps): 'shown' | 'hidden' | 'absent'
  /** Parts of the path that are more than any text. */
  readonly params?: Of<Deps, TProperties>
  /** The query of a GET, else the body. `file`: the body is a stream of bytes. */
  readonly input?: Of<Deps, InputSchema>
  readonly answer: Of<Deps, AnswerSchema>
  /** Beside what every call refuses. */
  readonly refuses?: readonly ErrorCode[]
}

/** As the frames know it: what comes in was checked against `input`. */
export interface UserCall<Deps = never> extends Said<Deps> {
  /** The member of the answer that a host and the client get in its place. */
  readonly list?: string
  /** The headers of an answer that is 201. */
  created?(answer: unknown, api: string): Readonly<Record<string, string>>
  run(deps: Deps, request: UserRequest): Promise<unknown>
}

/** With what a host gives and gets. */
type DeclaredCall<Deps, Name extends string, Path extends string, Input, Answer> = UserCall<Deps> & {
  readonly name: Name
  /** No value: its type is that of the mounted call. */
  readonly mounted?: (
    user: string | UserIdentity,
    ...given: [...ParamsOf<Path>, input?: Input]
  ) => Promise<Answer>
}

/** The calls of a host, by their names. */
export type MountedCalls<Call extends Pick<UserCall, 'name'>> = {
  readonly [One in Call as One['name']]: One extends { readonly mounted?: infer Mounted }
    ? NonNullable<Mounted>
    : never
}

/** One text for each `:name` of a path. */
type ParamsOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${string}/${infer After}`
    ? [string, ...ParamsOf<After>]
    : [string]
  : []

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer After}`
    ? Name | ParamNames<After>
    : Rest
  : never

type InputOf<Input> = Input extends 'file' ? Readable : Static<Input & TSchema>
type GivenOf<Input> = Input extends 'file' ? Uint8Array : Static<Input & TSchema>
type AnswerOf<Answer> = Answer extends FileAnswer ? SentFile : Static<Answer & TSchema>
type GottenOf<Answer, List> = Answer extends FileAnswer
  ? Uint8Array
  : List extends keyof Static<Answer & TSchema>
    ? Static<Answer & TSchema>[List]
    : Static<Answer & TSchema>

/** `Deps`: the parts of the service that it reads. */
export const userCall =
  <Deps>() =>
  <
    const Name extends string,
    const Path extends string,
    Input extends InputSchema,
    Answer extends AnswerSchema,
    const List extends string,
  >(
    declared: Said<Deps> & {
      readonly name: Name
      readonly path: Path
      readonly input?: Of<Deps, Input>
      readonly answer: Of<Deps, Answer>
      readonly list?: List
      created?(answer: AnswerOf<Answer>, api: string): Readonly<Record<string, string>>
      run(deps: Deps, request: UserRequest<InputOf<Input>, ParamNames<Path>>): Promise<AnswerOf<Answer>>
    },
  ): DeclaredCall<Deps, Name, Path, GivenOf<Input>, GottenOf<Answer, List>> =>
    // What the frames hand over has passed the schema that `Input` is the type of.
    declared as unknown as DeclaredCall<Deps, Name, Path, GivenOf<Input>, GottenOf<Answer, List>>

/** What depends on the catalogue, which the service reads when it starts. */
export function schemaOf<Deps, Schema extends object | string>(of: Of<Deps, Schema>, deps: Deps): Schema {
  return of instanceof Function ? of(deps) : of
}

/** A person whose role is `reader` may not make it. */
export function ordersIn({ method, forReaders }: Pick<UserCall, 'method' | 'forReaders'>): boolean {
  return method !== 'GET' && forReaders !== true
}
