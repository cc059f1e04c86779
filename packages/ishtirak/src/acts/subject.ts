// What an act or a reading is on: a payment, a user, an event, or nothing but the service. Its address, its
// command and its page in the console begin with it.
import { type TObject, type TSchema, Type } from 'typebox'
import type { Locale } from '../core/locale.js'
import type { Formats } from '../i18n/formats.js'
import type { ShownColumns } from './cli-tables.js'

export interface Subject<Deps = unknown, File = unknown> {
  /** The audit trail and the texts use this name: `payment`. */
  readonly name: string
  /** Below the operator's API and below the console: `/payments/:payment_id`. */
  readonly path: string
  /** The parameters of `path`. */
  readonly params: TObject
  /** `payments <payment>`: the group of its commands, and their argument, where it has an id. */
  readonly command: {
    readonly group: string
    readonly argument?: string
    /** What a terminal shows of the answers of its acts. */
    readonly columns?: ShownColumns
  }
  /** Whose trail an act on it is in (`NO_USER` for none), and how a person knows it. Throws `not_found`. */
  about(deps: Deps, id: string, asked?: object): Promise<About>
  /** Its id is that of the user whose trail it is in: known without a look. */
  readonly isUser?: true
  /** Everything known of it: what acts on it answer, and by which its page says what can be done. */
  file?(deps: Deps): SubjectFile<File>
  /** Those that there are, by what is asked of them: an act on one can be done to all of a list. */
  readonly list?: SubjectList
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

export interface SubjectList<Deps = never> {
  readonly filter: TObject
  /** Throws `validation_failed`. */
  find(
    deps: Deps,
    filter: object,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{
    readonly items: readonly { readonly id: string }[]
    readonly nextCursor: string | null
  }>
}

export interface About {
  readonly userId: string
  readonly paymentId?: string
  /** Under the title of its forms: `Karim B. · Pro · 1 month · 2 000 DA`. */
  label?(formats: Formats, locale: Locale): string
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
