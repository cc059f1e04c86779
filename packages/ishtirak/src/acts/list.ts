// A list of operators is one object: what it is asked for, how a page of it is read, what is shown of each.
// From it come route, OpenAPI, command, its file and its page in the console (list-page.tsx). Below: the days
// and instants that lists lie between, and the walk that reads a page where not every row is one of the list.
import type { FastifyReply } from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { wrongField } from '../core/error.js'
import { type Instant, LAST_INSTANT } from '../core/instant.js'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import { object, query } from '../http/schemas.js'
import type { WallClock } from '../runtime/calendar.js'
import { type AuditDeps, recordAct } from './audit.sql.js'
import type { ShownColumns } from './cli-tables.js'
import { type CsvCell, csvLine } from './csv.js'
import { readInstant } from './day.js'
import { CSV } from './descriptions.js'
import { nextCursor, pageQuery, pagesBehind } from './paging.js'
import { type CommandOf, type Reading, reading } from './reading.js'
import { CSV_TYPE, sendFile } from './send-file.js'

/** Where a page goes on (null: it is the first), and its length. */
export interface AskedPage {
  readonly cursor: string | null
  readonly limit: number
}

export interface ReadPage<Item> {
  readonly items: readonly Item[]
  readonly nextCursor: string | null
  /** The members that the list declares in its `beside`. */
  readonly beside?: object
}

/** `rows`: what its table is called; `columns`: what a line of it shows, absent: all of it. */
type ListCommand = Omit<CommandOf, 'columns'> & {
  readonly rows: string
  readonly columns?: readonly string[] | ShownColumns
}

/** `Of`: the filter, with the ids of the path. */
interface Said<Deps, Params extends TObject, Filter extends TObject, Item> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** Absent: every role may read it. */
  readonly permission?: Permission
  readonly params?: Params
  readonly filter?: Filter
  /** Where it is another than that of most lists. */
  readonly limit?: TSchema
  /** The shape of one, and the name of a page of them in the OpenAPI document. */
  readonly item: TSchema
  readonly title: string
  /** All is in one answer, which has no cursor. */
  readonly isWhole?: true
  /** Members of the answer that are not of the list. */
  readonly beside?: TProperties
  /** Null: there is none. */
  readonly command: ListCommand | null
  /** Throws `invalid_cursor`, and `validation_failed` for a filter that makes no sense. */
  read(deps: Deps, of: Static<Params> & Static<Filter>, page: AskedPage): Promise<ReadPage<Item>>
  /** As `item` has it; absent: it is read so. */
  view?(deps: Deps): (item: Item) => unknown
  readonly file?: ListFile<Deps, Item>
}

/** All that match, as CSV. Each download stands in the audit trail. */
interface ListFile<Deps, Item> {
  readonly permission: Permission
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly usage: string
  /** The file's name without its extension; absent: the last part of the path. */
  name?(of: Readonly<Record<string, string>>): string
  /** Members of `row`, by which the columns are headed. */
  readonly columns: readonly string[]
  /** Absent: as the API shows it. */
  row?(deps: Deps): (item: Item) => object
}

type ListToRead<Deps, Item> = Omit<List<Deps, Item>, 'readings'>

export interface List<Deps, Item>
  extends Omit<Said<Deps, TObject, TObject, Item>, 'params' | 'filter' | 'read' | 'view' | 'file'> {
  readonly params: TObject
  readonly filter: TObject
  read(deps: Deps, of: object, page: AskedPage): Promise<ReadPage<Item>>
  view?(deps: Deps): (item: Item) => unknown
  readonly file?: ListFile<Deps, Item>
  readonly readings: readonly Reading<Deps & AuditDeps>[]
}

const NOTHING = Type.Object({})

/** `Deps`: the parts of the service that it reads. */
export function list<Deps>() {
  return <
    Item,
    Params extends TObject = TObject<Record<never, never>>,
    Filter extends TObject = TObject<Record<never, never>>,
  >(
    said: Said<Deps, Params, Filter, Item>,
  ): List<Deps, Item> => {
    // What the frames hand over has passed the schemas that `Params` and `Filter` are the types of.
    const made = { params: NOTHING, filter: NOTHING, ...said } as unknown as ListToRead<Deps, Item>
    return { ...made, readings: readingsOf<Deps & AuditDeps, Item>(made) }
  }
}

/** Of a page that is not asked for a length. */
const SHOWN = 50

function readingsOf<Deps extends AuditDeps, Item>(of: ListToRead<Deps, Item>): readonly Reading<Deps>[] {
  const { path, operationId, summary, description, permission, params, filter, limit, title, item, file } = of
  const { reads } = reading<Deps>()
  const page = reads({
    ...{
      path,
      operationId,
      summary,
      params,
      ...(description !== undefined && { description }),
      ...permission,
    },
    query: query({ ...filter.properties, ...(!of.isWhole && pageQuery), ...(limit && { limit }) }),
    answer: object(title, {
      ...{ data: Type.Array(item), ...of.beside },
      ...(!of.isWhole && { next_cursor: nextCursor }),
    }),
    refuses: of.isWhole ? [] : ['invalid_cursor'],
    command: of.command && commandIn(of.command),
    read: async (deps, { params, query }) => {
      const { cursor = null, limit = SHOWN, ...wanted } = query as Partial<AskedPage>
      const read = await of.read(deps, { ...params, ...wanted }, { cursor, limit })
      const data = read.items.map(viewOf(deps, of))
      return { data, ...read.beside, ...(!of.isWhole && { next_cursor: read.nextCursor }) }
    },
  })
  if (!file) return [page]
  const whole = reads({
    ...file.permission,
    ...{ path: file.path, operationId: file.operationId, summary: file.summary, params },
    query: query(filter.properties),
    answer: CSV,
    command: { usage: file.usage, isFile: 'printed' },
    read: (deps, { params, query, operator, reply }) =>
      sendListFile(deps, of, { of: { ...params, ...query }, operator, reply }),
  })
  return [page, whole]
}

function commandIn({ rows, columns, ...command }: ListCommand): CommandOf {
  const isOfRows = (of: readonly string[] | ShownColumns): of is readonly string[] => Array.isArray(of)
  return {
    ...command,
    ...(columns && { columns: isOfRows(columns) ? { [rows]: columns } : columns }),
    show: ({ data, ...rest }) => ({ [rows]: data, ...rest }),
  }
}

function viewOf<Deps, Item>(
  deps: Deps,
  { view }: Pick<ListToRead<Deps, Item>, 'view'>,
): (item: Item) => unknown {
  return view?.(deps) ?? ((item) => item)
}

/** Of a list, that are read at a time for a file. */
const FILE_ROWS = 1_000

/** Throws `role_not_allowed`, and what `read` throws before anything is sent. */
export async function sendListFile<Deps extends AuditDeps, Item>(
  deps: Deps,
  list: ListToRead<Deps, Item>,
  asked: { readonly of: object; readonly operator: Operator; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { file } = list
  if (!file) throw new Error(`${list.path} has no file`)
  const { of, operator, reply } = asked
  requireRole(operator, file.permission)
  const pages = pagesBehind((cursor) => list.read(deps, of, { cursor, limit: FILE_ROWS }))
  const { value: first = [] } = await pages.next()
  const name = file.name?.(Object(of)) ?? file.path.slice(file.path.lastIndexOf('/') + 1)
  await recordAct(
    deps,
    { operator, act: file.permission.name, reason: null },
    { after: { file: name, ...of } },
  )
  const rowOf = file.row?.(deps) ?? viewOf(deps, list)
  const linesOf = (items: readonly Item[]) => items.map((item) => lineOf(file.columns, rowOf(item))).join('')
  const content = async function* () {
    yield csvLine(file.columns) + linesOf(first)
    for await (const items of pages) if (items.length > 0) yield linesOf(items)
  }
  return sendFile(reply, { type: CSV_TYPE, name: `${name}.csv`, content: content() })
}

function lineOf(columns: readonly string[], row: unknown): string {
  const values: Readonly<Record<string, unknown>> = Object(row)
  const cells = columns.map((column): CsvCell => {
    const value = values[column]
    if (value === null || typeof value === 'string' || typeof value === 'number') return value
    return JSON.stringify(value)
  })
  return csvLine(cells)
}

/** Half open. */
export interface TimeSpan {
  readonly from: Instant
  readonly to: Instant
}

type Ends<Name extends string> = { readonly [End in `${Name}_from` | `${Name}_until`]?: string | undefined }

/**
 * `<name>_from` and `<name>_until`; a day counts whole. One that is absent is no bound; null: both are.
 * Throws `validation_failed`.
 */
export function spanIn<Name extends string>(
  wallClock: WallClock,
  filter: Ends<Name>,
  name: Name,
): TimeSpan | null {
  const first: string | undefined = filter[`${name}_from`]
  const last: string | undefined = filter[`${name}_until`]
  if (first === undefined && last === undefined) return null
  const from = first === undefined ? 0 : readInstant(wallClock, `${name}_from`, first)
  const end = last === undefined ? LAST_INSTANT : readInstant(wallClock, `${name}_until`, last)
  const to = (last !== undefined && wallClock.dayOf(last)?.to) || end
  if (to <= from) throw wrongField(`${name}_until`, 'too_small', first)
  return { from, to }
}

/** Null: everything is. */
export function isWithin(span: TimeSpan | null, at: Instant | null): boolean {
  return span === null || (at !== null && at >= span.from && at < span.to)
}

/** Whether they have an instant in common. */
export function meets(span: TimeSpan, start: Instant | null, end: Instant | null): boolean {
  return start !== null && end !== null && start < span.to && end > span.from
}

/** Rows that are read at a time where only some are of the list, and that one page looks at. */
const ROWS = 1_000
const LOOKED_AT_MAX = 20_000

/**
 * Up to `limit` rows of the list, and the row behind which it goes on; null: nothing is behind it. A page may
 * have fewer where few of those that it looked at are of the list.
 */
export async function pageOfList<Row>(of: {
  /** Returns up to `limit` rows after a row; null: the first rows. */
  readonly read: (last: Row | null, limit: number) => Promise<readonly Row[]>
  /** Null: all are of the list. */
  readonly choose: ((rows: readonly Row[]) => Promise<readonly Row[]>) | null
  readonly limit: number
}): Promise<{ readonly items: readonly Row[]; readonly last: Row | null }> {
  const { read, choose, limit } = of
  const size = choose ? ROWS : limit + 1
  const found: Row[] = []
  let last: Row | null = null
  for (let lookedAt = 0; lookedAt < LOOKED_AT_MAX; lookedAt += size) {
    const rows: readonly Row[] = await read(last, size)
    found.push(...(choose ? await choose(rows) : rows))
    const items = found.slice(0, limit)
    if (found.length > limit) return { items, last: items.at(-1) ?? null }
    if (rows.length < size) return { items, last: null }
    last = rows.at(-1) ?? null
  }
  return { items: found, last }
}

/** The members of the filter that were typed into a form, or stand in an address. */
export function filterIn(
  { properties }: TObject,
  typed: (name: string) => string,
): Readonly<Record<string, string>> {
  const given = Object.keys(properties).map((name) => [name, typed(name).trim()] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}
