// One cell asks another: plain HTTP to its services, in the order of the file, with a signature by the secret
// that all cells share. The answer is signed too, so that nothing else at that address is believed.

import { type Instant, MINUTE, SECOND } from '../core/instant.js'
import type { Row } from '../database/database.js'
import type { OtherCells } from '../database/whole-shop.js'
import { type Cell, type Cells, othersThan } from '../runtime/cells.js'
import type { Clock } from '../runtime/clock.js'
import { headerOf, sendRequest } from '../runtime/http-client.js'
import type { Log } from '../runtime/log.js'
import type { NoteUse } from '../runtime/old-secrets.js'
import { constantTimeEquals, keyedDigest } from '../runtime/secret.js'

export const ROWS_PATH = '/api/v1/cells/rows'
export const CELL_HEADER = 'x-ishtirak-cell'

export interface CellCallsDeps {
  readonly cells: Cells
  /** The first signs, all are accepted. */
  readonly cellsKeys: readonly string[]
  readonly clock: Clock
  readonly log: Log
  readonly noteUse: NoteUse
}

/** A cell that does not answer in this time is gone, where nothing else is said. */
const CELL_LIMIT_MS = 2 * SECOND
/** By how much two clocks may differ. */
const SKEW_MS = MINUTE
const ANSWER_MAX = 64 * 1024 * 1024

export function otherCells(deps: CellCallsDeps): OtherCells {
  const ask = askingCells(deps, ROWS_PATH)
  return {
    own: deps.cells.own.name,
    names: othersThan(deps.cells).map(({ name }) => name),
    ask: async (cell, asked) => {
      const answer = await ask(cell, asked)
      return answer?.status === 200 ? (answer.value as readonly Row[]) : null
    },
  }
}

export interface CellAnswer {
  readonly status: number
  readonly value: unknown
}

/** Null: it does not answer. What is asked may arrive twice. */
export function askingCells(deps: CellCallsDeps, path: string) {
  const asks = new Map(othersThan(deps.cells).map((cell) => [cell.name, askOf(deps, cell, path)]))
  return async (cell: string, asked: object, limitMs = CELL_LIMIT_MS): Promise<CellAnswer | null> =>
    (await asks.get(cell)?.(asked, limitMs)) ?? null
}

/** The service that answered last is asked first. */
function askOf({ cells, cellsKeys, clock, log }: CellCallsDeps, cell: Cell, path: string) {
  const [key = ''] = cellsKeys
  let addresses = [...cell.servers, ...cell.standbys]
  return async (asked: object, limitMs: number): Promise<CellAnswer | null> => {
    const body = JSON.stringify(asked)
    const signed = signatureOf(key, { from: cells.own.name, to: cell.name, at: clock.now(), body })
    const endsAt = performance.now() + limitMs
    for (const address of [...addresses]) {
      const timeoutMs = endsAt - performance.now()
      if (timeoutMs <= 0) break
      const answer = await askAt(`http://${address}${path}`, { body, signed, key, timeoutMs })
      if (answer) return answer
      addresses = [...addresses.filter((one) => one !== address), address]
    }
    log.warn({ cell: cell.name }, 'a cell does not answer')
    return null
  }
}

async function askAt(
  url: string,
  of: { readonly body: string; readonly signed: string; readonly key: string; readonly timeoutMs: number },
): Promise<CellAnswer | null> {
  const { body, signed, key, timeoutMs } = of
  const outcome = await sendRequest({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', [CELL_HEADER]: signed },
    ...{ body, timeoutMs, maxBytes: ANSWER_MAX },
  })
  if (outcome.kind !== 'answer' || !outcome.body) return null
  const text = Buffer.from(outcome.body).toString()
  const isTheirs = constantTimeEquals(
    headerOf(outcome.headers, CELL_HEADER) ?? '',
    answerSignature(key, signed, text),
  )
  return isTheirs ? { status: outcome.status, value: JSON.parse(text) } : null
}

interface Signed {
  readonly from: string
  readonly to: string
  readonly at: Instant
  readonly body: string
}

function signatureOf(key: string, { from, to, at, body }: Signed): string {
  return `${from}.${at}.${keyedDigest(key, JSON.stringify([from, to, at, body]))}`
}

export function answerSignature(key: string, signed: string, body: string): string {
  return keyedDigest(key, JSON.stringify([signed, body]))
}

/** The key that signed it; null: none of ours, or long ago. */
export function signingKey(
  { cells, cellsKeys, clock, noteUse }: CellCallsDeps,
  given: string,
  body: string,
): string | null {
  const [from = '', written = ''] = given.split('.')
  const at = Number(written)
  if (!(Math.abs(clock.now() - at) <= SKEW_MS)) return null
  const signed = { from, to: cells.own.name, at, body }
  const key = cellsKeys.find((one) => constantTimeEquals(given, signatureOf(one, signed)))
  if (key !== undefined) noteUse('CELLS_KEY', key)
  return key ?? null
}
