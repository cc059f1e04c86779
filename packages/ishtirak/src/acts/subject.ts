// What an act or a reading is on: a payment, a user, an event, or nothing but the service. Its address, its
// command and its page in the console begin with it.
import { type TObject, type TSchema, Type } from 'typebox'

export interface Subject<Deps = unknown, File = unknown> {
  /** As the audit trail and the texts name it: `payment`. */
  readonly name: string
  /** Below the operator's API and below the console: `/payments/:payment_id`. */
  readonly path: string
  /** Of `path`. */
  readonly params: TObject
  /** `payments <payment>`: the group of its commands, and their argument, where it has an id. */
  readonly command: { readonly group: string; readonly argument?: string }
  /** Whose trail an act on it is in (`NO_USER` for none), and how a person knows it. Throws `not_found`. */
  about(deps: Deps, id: string, asked?: object): Promise<About>
  /** Everything known of it: what acts on it answer, and by which its page says what can be done. */
  file?(deps: Deps): SubjectFile<File>
  /**
   * The page of the console that tells what was done, where it is not the subject's own. Without the base.
   */
  readonly page?: (id: string, about: About) => string
}

export interface SubjectFile<File = unknown> {
  readonly schema: TSchema
  /** Throws `not_found`. */
  read(id: string): Promise<File>
  /** What was read, as `schema` has it. */
  view(file: File): unknown
}

export interface About {
  readonly userId: string
  readonly paymentId?: string
  /** Under the title of its forms: `Karim B. · pay_1`. */
  readonly label?: string
}

/** For acts that are about no single user: the audit trail has them under this id. */
export const NO_USER = ''

/** A list, or the service itself. `page`: of the console, without the base. */
export function onNothing(name: string, path: string, group: string, page: string): Subject {
  const about = async () => ({ userId: NO_USER })
  return { name, path, params: Type.Object({}), command: { group }, about, page: () => page }
}

/** The id in the parameters of a request. */
export function idIn({ path }: Subject, params: Readonly<Record<string, string>>): string {
  const [, name] = /:(\w+)/.exec(path) ?? []
  return name === undefined ? '' : (params[name] ?? '')
}

/** The path with the id of one. */
export function subjectPath({ path }: Pick<Subject, 'path'>, id: string): string {
  return path.replace(/:\w+/, encodeURIComponent(id))
}
