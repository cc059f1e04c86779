// A list as a file: all that match, page by page, with a line in the audit trail.
import type { FastifyReply } from 'fastify'
import { type Operator, type Permission, requireRole } from '../core/role.js'
import { type AuditDeps, recordAct } from './audit.sql.js'
import { type CsvCell, csvLine } from './csv.js'
import { pagesBehind } from './paging.js'
import { CSV_TYPE, sendFile } from './send-file.js'

export interface AskedFile<Filter> {
  readonly filter: Filter
  readonly operator: Operator
  readonly reply: FastifyReply
}

/** Of a list, that are read at a time. */
export const FILE_ROWS = 1_000

interface List<Item> {
  readonly permission: Permission
  readonly name: string
  readonly heads: readonly string[]
  readonly cells: (item: Item) => readonly CsvCell[]
  readonly page: (
    cursor: string | null,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor: string | null }>
}

/** Throws `role_not_allowed`, and what `page` throws before anything is sent. */
export async function sendList<Item>(
  deps: AuditDeps,
  { filter, operator, reply }: AskedFile<object>,
  list: List<Item>,
): Promise<FastifyReply> {
  requireRole(operator, list.permission)
  const pages = pagesBehind(list.page)
  const { value: first = [] } = await pages.next()
  const act = { operator, act: list.permission.name, reason: null }
  await recordAct(deps, act, { after: { file: list.name, ...filter } })
  return sendFile(reply, { type: CSV_TYPE, name: `${list.name}.csv`, content: linesOf(list, first, pages) })
}

async function* linesOf<Item>(
  { heads, cells }: List<Item>,
  first: readonly Item[],
  further: AsyncIterable<readonly Item[]>,
): AsyncIterable<string> {
  const written = (items: readonly Item[]) => items.map((item) => csvLine(cells(item))).join('')
  yield csvLine(heads) + written(first)
  for await (const items of further) if (items.length > 0) yield written(items)
}
