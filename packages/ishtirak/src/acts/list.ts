// A list that operators read is one object: its filter, how a page of it is read, and what it shows of each
// item. From it come route, OpenAPI document, command, file and the page of the console (list-page.tsx).
import type { FastifyReply } from 'fastify'
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import { object, query } from '../http/schemas.js'
import { type AuditDeps, recordAct } from './audit.sql.js'
import { CSV, CSV_TYPE, type CsvCell, csvLine, sendFile } from './files.js'
import { nextCursor, type PageRequest, pageQuery, pagesBehind, type ReadPage } from './paging.js'
import { type CommandOf, NOTHING, type NoMembers, type Reading, reading } from './reading.js'

interface ListDeclaration<Deps, Params extends TObject, Filter extends TObject, Item> {
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** If absent, every role may read the list. */
  readonly permission?: Permission
  readonly params?: Params
  readonly filter?: Filter
  /** Replaces the usual schema of `limit`. */
  readonly limit?: TSchema
  readonly item: TSchema
  /** The name of a page in the OpenAPI document. */
  readonly title: string
  /** The answer has all items and no cursor. */
  readonly isWhole?: true
  readonly beside?: TProperties
  /** `rows` is the name of the table in the terminal. Null: there is no command. */
  readonly command: {
    readonly usage: string
    readonly rows: string
    readonly columns?: readonly string[]
  } | null
  /** Throws `invalid_cursor`, and `validation_failed` for a filter that contradicts itself. */
  read(deps: Deps, of: Static<Params> & Static<Filter>, page: PageRequest): Promise<ReadPage<Item>>
  /** Turns an item into the shape of `item`; if absent, it has that shape already. */
  view?(deps: Deps): (item: Item) => unknown
  readonly file?: ListFile
}

/** All items that match, as CSV. Each download is recorded in the audit trail. */
interface ListFile {
  readonly permission: Permission
  readonly path: string
  readonly operationId: string
  readonly summary: string
  readonly usage: string
  /** The name of the file without its extension; if absent, the last part of the path. */
  name?(of: Readonly<Record<string, string>>): string
  /** The members of the item's view that are columns, with these heads. */
  readonly columns: readonly string[]
}

export interface List<Deps, Item> extends ListDeclaration<Deps, TObject, TObject, Item> {
  readonly params: TObject
  readonly filter: TObject
  readonly readings: readonly Reading<Deps & AuditDeps>[]
}

export const list =
  <Deps>() =>
  <Item, Params extends TObject = NoMembers, Filter extends TObject = NoMembers>(
    declared: ListDeclaration<Deps, Params, Filter, Item>,
  ): List<Deps, Item> => {
    const made = { params: NOTHING, filter: NOTHING, ...declared, readings: [] }
    return { ...made, readings: readingsOf<Deps & AuditDeps, Item>(made) }
  }

/** The items of a page if the request has no `limit`. */
const PAGE_LENGTH = 50

function readingsOf<Deps extends AuditDeps, Item>(of: List<Deps, Item>): readonly Reading<Deps>[] {
  const { path, operationId, summary, description, permission, params, filter, limit, command, file } = of
  const reads = reading<Deps>()
  const page = reads({
    ...{ path, operationId, summary, params },
    ...(description !== undefined && { description }),
    ...permission,
    query: query({ ...filter.properties, ...(!of.isWhole && pageQuery), ...(limit && { limit }) }),
    answer: object(of.title, {
      ...{ data: Type.Array(of.item), ...of.beside },
      ...(!of.isWhole && { next_cursor: nextCursor }),
    }),
    refuses: of.isWhole ? [] : ['invalid_cursor'],
    command: command && commandOf(command),
    read: async (deps, { params, query }) => {
      const { cursor = null, limit = PAGE_LENGTH, ...wanted } = query as Partial<PageRequest>
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

function commandOf({ usage, rows, columns }: NonNullable<List<never, never>['command']>): CommandOf {
  const show: CommandOf['show'] = ({ data, ...rest }) => ({ [rows]: data, ...rest })
  return { usage, ...(columns && { columns: { [rows]: columns } }), show }
}

function viewOf<Deps, Item>(deps: Deps, { view }: Pick<List<Deps, Item>, 'view'>): (item: Item) => unknown {
  return view?.(deps) ?? ((item) => item)
}

/** The items that are read at a time for a file. */
const FILE_PAGE_LENGTH = 1_000

/** Throws `role_not_allowed`, and what `read` throws before anything is sent. */
export async function sendListFile<Deps extends AuditDeps, Item>(
  deps: Deps,
  list: List<Deps, Item>,
  asked: {
    readonly of: Readonly<Record<string, unknown>>
    readonly operator: Operator
    readonly reply: FastifyReply
  },
): Promise<FastifyReply> {
  const { file } = list
  if (!file) throw new Error(`${list.path} has no file`)
  const { of, operator, reply } = asked
  requireRole(operator, file.permission)
  const pages = pagesBehind((cursor) => list.read(deps, of, { cursor, limit: FILE_PAGE_LENGTH }))
  const { value: first = [] } = await pages.next()
  const name = file.name?.(Object(of)) ?? file.path.slice(file.path.lastIndexOf('/') + 1)
  await recordAct(
    deps,
    { operator, act: file.permission.name, reason: null },
    { after: { file: name, ...of } },
  )
  const rowOf = viewOf(deps, list)
  const linesOf = (items: readonly Item[]) => items.map((item) => lineOf(file.columns, rowOf(item))).join('')
  const content = async function* () {
    yield csvLine(file.columns) + linesOf(first)
    for await (const items of pages) yield linesOf(items)
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

/** The members of the filter that have a value in a form or an address. */
export function filterIn(
  { properties }: TObject,
  typed: (name: string) => string,
): Readonly<Record<string, string>> {
  const given = Object.keys(properties).map((name) => [name, typed(name).trim()] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}
