// A call of users is one object: name, method and path, input, answer, refusals, and the function that it
// runs. From it come the route for the user's token, the route for the platform's key, the call of a host
// that mounts the service, the OpenAPI document and the client's method.
import type { Readable } from 'node:stream'
import type { Static, TProperties, TSchema } from 'typebox'
import type { ErrorCode } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { ParamsIn } from '../http/app.js'
import type { UserIdentity } from '../http/auth.js'

export interface UserRequest<Input = unknown, Param extends string = string> {
  readonly user: UserIdentity
  /** Addresses in answers begin with it: the user's and the platform's differ. */
  readonly api: string
  readonly requestId: string
  readonly params: Readonly<Record<Param, string>>
  readonly input: Input
  /** The language that the token says, or the profile; else `Accept-Language`; else Arabic. */
  locale(): Promise<Locale>
}

/** An answer that is bytes. A host and the client get `content` alone. */
export interface SentFile {
  readonly name: string
  readonly content: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface FileAnswer {
  readonly file: 'application/pdf' | 'text/csv'
  readonly description: string
}

/** A schema, or a function that makes it from the parts, because some schemas depend on the catalogue. */
type MaybeByDeps<Deps, Schema> = Schema | ((deps: Deps) => Schema)
type InputSchema = TSchema | 'file'
type AnswerSchema = TSchema | FileAnswer

/** The part of a call that needs no types of its own. */
interface CallFacts<Deps> {
  /** The client's method and the host's call have this name. */
  readonly name: string
  /** The OpenAPI document uses this name, and adds `ForUser` for the platform's route. */
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** The document lists the user's own route here, and under `billing` if absent. */
  readonly tag?: 'portal'
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path starts below the address of the user. */
  readonly path: string
  /** Only the platform and a host may call it: there is no route for the user's token. */
  readonly byPlatform?: true
  /** A `reader` may call it: it orders nothing, although its method is not GET. */
  readonly forReaders?: true
  /** There is no HEAD route: it would count as the first reading of the document and show nothing. */
  readonly withoutHead?: true
  /** `hidden`: the document leaves it out. `absent`: it is answered 404. It is `shown` if undefined. */
  offered?(deps: Deps): 'shown' | 'hidden' | 'absent'
  /** Schemas of the path's parameters that accept less than any text. */
  readonly params?: MaybeByDeps<Deps, TProperties>
  /** A GET has it in its query, other methods in their body. `file`: the body is a stream of bytes. */
  readonly input?: MaybeByDeps<Deps, InputSchema>
  readonly answer: MaybeByDeps<Deps, AnswerSchema>
  /** The input and answer of the route for the user's token, if they are less than those for the platform. */
  readonly forUser?: { readonly input?: TSchema; readonly answer: TSchema }
  /** These members replace those of the schema's example in the document. */
  readonly example?: object
  /** Every call refuses some codes; these are the others. */
  readonly refuses?: readonly ErrorCode[]
}

/** A call without the types of its input and answer. The frames check the input before they run it. */
export interface UserCall<Deps = never> extends CallFacts<Deps> {
  /** A host and the client get this member of the answer, not the object around it. */
  readonly list?: string
  /** An answer of this call is 201 and has these headers. */
  created?(answer: unknown, api: string): Readonly<Record<string, string>>
  run(deps: Deps, request: UserRequest): Promise<unknown>
}

/** A call with the types of what a host gives and gets. */
type DeclaredCall<Deps, Name extends string, Path extends string, Input, Answer> = UserCall<Deps> & {
  readonly name: Name
  /** It is never set: only its type is used, for the mounted call. */
  readonly mounted?: (
    user: string | UserIdentity,
    ...given: [...TextsOf<ParamsIn<Path>>, input?: Input]
  ) => Promise<Answer>
}

export type MountedCalls<Call extends Pick<UserCall, 'name'>> = {
  readonly [One in Call as One['name']]: One extends { readonly mounted?: infer Mounted }
    ? NonNullable<Mounted>
    : never
}

type TextsOf<Names extends readonly string[]> = { [At in keyof Names]: string }

/** The input or answer of a call. Bytes have another form in `run` than for a host and the client. */
type InputOf<Input, File> = Input extends 'file' ? File : Static<Input & TSchema>
type AnswerOf<Answer, File> = Answer extends FileAnswer ? File : Static<Answer & TSchema>
type MemberOf<Answer, List> = List extends keyof Answer ? Answer[List] : Answer

export const userCall =
  <Deps>() =>
  <
    const Name extends string,
    const Path extends string,
    Input extends InputSchema,
    Answer extends AnswerSchema,
    const List extends string,
  >(
    declared: CallFacts<Deps> & {
      readonly name: Name
      readonly path: Path
      readonly input?: MaybeByDeps<Deps, Input>
      readonly answer: MaybeByDeps<Deps, Answer>
      readonly list?: List
      created?(answer: AnswerOf<Answer, SentFile>, api: string): Readonly<Record<string, string>>
      run(
        deps: Deps,
        request: UserRequest<InputOf<Input, Readable>, ParamsIn<Path>[number]>,
      ): Promise<AnswerOf<Answer, SentFile>>
    },
  ) =>
    // What the frames hand over has passed the schema that `Input` is the type of.
    declared as unknown as DeclaredCall<
      Deps,
      Name,
      Path,
      InputOf<Input, Uint8Array>,
      MemberOf<AnswerOf<Answer, Uint8Array>, List>
    >

export function schemaOf<Deps, Schema extends object | string>(
  of: MaybeByDeps<Deps, Schema>,
  deps: Deps,
): Schema {
  return of instanceof Function ? of(deps) : of
}

/** True if the call orders something. A person whose role is `reader` may not make it. */
export function placesOrder({ method, forReaders }: Pick<UserCall, 'method' | 'forReaders'>): boolean {
  return method !== 'GET' && forReaders !== true
}
