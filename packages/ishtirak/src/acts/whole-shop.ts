// A reading of operators is of all cells, unless it is of one user: then their cell has it.
import { type TObject, Type } from 'typebox'
import { missingCells, readCell, readWholeShop } from '../database/whole-shop.js'
import type { App } from '../http/app.js'
import type { LiveCells } from '../runtime/cells.js'

export interface HasCells {
  /** Null: this service has all users. */
  readonly cells: LiveCells | null
}

const OF_ONE_USER = /:(user|payment)_id/

/** For the route of a reading, or of a page. */
export function readsAll({ cells }: HasCells, path: string, isWhole = false) {
  if (!cells || OF_ONE_USER.test(path)) return {}
  return {
    // After the caller is known.
    preParsing: (_request: unknown, _reply: unknown, _body: unknown, done: () => void) =>
      readWholeShop({ isWhole }, done),
  }
}

/** For the pages of a plugin, but those of one user. */
export function pagesOfAll(app: App, { cells }: HasCells): void {
  if (!cells) return
  app.addHook('preParsing', (request, _reply, body, done) => {
    const path = request.routeOptions.url ?? ''
    const next = () => done(null, body)
    if (request.method !== 'GET' || OF_ONE_USER.test(path)) next()
    else readWholeShop({ isWhole: path.endsWith('.csv') }, next)
  })
}

const MISSING = Type.Array(Type.String(), {
  description: 'Cells that did not answer: what is theirs is not in here. Absent: all did',
})

/** Of what one cell keeps by itself. */
export const ofCell = {
  cell: Type.Optional(Type.String({ description: 'The one that has it, where there are cells' })),
}

/** The schema of an answer, which may name cells that are missing. */
export function answerOfAll<Answer extends object>({ cells }: HasCells, answer: Answer): Answer {
  if (!cells || isFile(answer)) return answer
  const { properties } = answer as unknown as TObject
  return { ...answer, properties: { ...properties, cells_missing: Type.Optional(MISSING) } }
}

export function isFile(answer: object): boolean {
  return 'content' in answer
}

/** The same of each cell that answers, by itself; null: there are none. */
export async function readEachCell<Result>(
  { cells }: HasCells,
  read: () => Promise<Result>,
): Promise<readonly (Result & { readonly cell: string })[] | null> {
  if (!cells) return null
  const names = cells.all.map(({ name }) => name).filter((cell) => !missingCells().includes(cell))
  return Promise.all(names.map(async (cell) => ({ ...(await readCell(cell, read)), cell })))
}

/** What was read, with the cells that are missing in it. */
export function withMissing<Answer>(answer: Answer): Answer {
  const missing = missingCells()
  return missing.length === 0 ? answer : { ...answer, cells_missing: missing }
}
