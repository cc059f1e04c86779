// The subject of an act: a payment, a user, an event, or only the service. The address of the act, its
// command and its page in the console begin with it.
import { type TObject, type TSchema, Type } from 'typebox'
import type { Locale } from '../core/locale.js'
import type { Formats } from '../i18n/formats.js'
import type { ShownColumns } from './cli-tables.js'
import type { PageRequest, ReadPage } from './paging.js'

export interface Subject<Deps = unknown, File = unknown> {
  /** The audit trail and the texts use this name: `payment`. */
  readonly name: string
  /** Below the operator's API and below `/console`: `/payments/:payment_id`. */
  readonly path: string
  readonly params: TObject
  /** The group of its commands, and their argument if it has an id: `payments <payment>`. */
  readonly command: {
    readonly group: string
    readonly argument?: string
    /** The columns that a terminal shows of the answers of its acts. */
    readonly columns?: ShownColumns
  }
  /** Names the user whose audit trail has the acts (`NO_USER` for none). Throws `not_found`. */
  about(deps: Deps, id: string, asked?: object): Promise<About>
  /** The subject is a user, so its id names the audit trail and `about` needs no query. */
  readonly isUser?: true
  /** Everything that operators see of the subject. Acts return it, and its page offers acts by it. */
  file?(deps: Deps): SubjectFile<File>
  /** Finds subjects by a filter, for acts on a list. */
  readonly list?: SubjectList
  /** The path of the page that shows the result of an act, if it is not the page of the subject. */
  readonly page?: (id: string, about: About) => string
}

export interface SubjectFile<File = unknown> {
  readonly schema: TSchema
  /** Throws `not_found`. */
  read(id: string): Promise<File>
  /** Turns the file into the shape of `schema`. */
  view(file: File): unknown
}

interface SubjectList {
  readonly filter: TObject
  /** Throws `validation_failed`. */
  find(deps: never, filter: object, page: PageRequest): Promise<ReadPage<unknown>>
  idOf(item: unknown): string
}

export interface About {
  readonly userId: string
  readonly paymentId?: string
  /** The line under the title of a form: `Karim B. · Pro · 1 month · 2 000 DA`. */
  label?(formats: Formats, locale: Locale): string
}

/** The audit trail has acts that are about no single user under this id. */
export const NO_USER = ''

/** A subject without an id: a list, or the service. `page` is a path of the console. */
export function onNothing(name: string, path: string, group: string, page: string): Subject {
  const about = async () => ({ userId: NO_USER })
  return { name, path, params: Type.Object({}), command: { group }, about, page: () => page }
}

/** The id of the subject in the parameters of a request; '' if it has none. */
export function idIn({ path }: Subject, params: Readonly<Record<string, string>>): string {
  const [, name] = /:(\w+)/.exec(path) ?? []
  return name === undefined ? '' : (params[name] ?? '')
}

export function subjectPath({ path }: Pick<Subject, 'path'>, id: string): string {
  return path.replace(/:\w+/, encodeURIComponent(id))
}
