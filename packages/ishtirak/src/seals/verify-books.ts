// Checks that documents, balance entries and the audit trail are as they were sealed, and finds the first
// entry that was changed, removed, inserted or moved.
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import type { AuditDeps } from '../acts/audit.sql.js'
import { reading } from '../acts/reading.js'
import { keptSince, receiptNumber } from '../core/receipt.js'
import type { Database } from '../database/database.js'
import { nullable, object } from '../http/schemas.js'
import type { CommonParts } from '../ledger/parts.js'
import { NO_HEAD, type SealHead } from './seals.sql.js'
import {
  checkPage,
  type Entry,
  entryAt,
  entryNumbered,
  findInserted,
  findOtherHead,
  findRemovedEarly,
  nextFollowsOn,
  type Seal,
  sealBefore,
} from './verify.sql.js'

export interface VerifyDeps extends AuditDeps, Pick<CommonParts, 'wallClock'> {
  readonly database: Database
}

/** 100,000 heads: those of 270 years. */
const HEADS_BYTES_MAX = 8 * 1024 * 1024
const SIGN_OF_LIFE_MS = 1_000

const VerifiedBooksSchema = object('VerifiedBooks', {
  position: Type.Integer({ description: 'The last seal; where one does not fit, the last one that fits' }),
  hash: Type.String({ description: 'Its hash; empty where nothing is sealed' }),
  found: nullable(
    object('BrokenSeal', {
      what: Type.Enum(['changed', 'removed', 'inserted', 'moved', 'cut', 'resealed'], {
        description:
          'What became of the entry. `cut`: a head is missing, so what was sealed last was removed, or an ' +
          'older backup was restored. `resealed`: the chain up to here is another one than that of a head',
      }),
      position: nullable(Type.Integer({ description: 'Of its seal' })),
      kind: nullable(Type.Enum(['document', 'balance_entry', 'act'])),
      entry: nullable(
        Type.String({
          description: 'The number of the document, the user and sequence of the balance entry, or the act',
          examples: ['2026-000042', 'user-1 3', 'act_01jd7k3v9m4w8x2z5c6b7n8q9r'],
        }),
      ),
    }),
  ),
})
type VerifiedBooks = Static<typeof VerifiedBooksSchema>

export const verifyBooksReading = reading<VerifyDeps>()({
  ...{ name: 'books.verify', roles: ['accountant'] },
  method: 'POST',
  path: '/books/verification',
  takes: { mostBytes: HEADS_BYTES_MAX },
  operationId: 'verifyBooks',
  summary: 'Check documents, balance entries and the audit trail against their seals',
  description:
    'The body may hold heads that were sent out, a line each: the position, a space, the hash. What stands ' +
    'behind them in a line is ignored. The first entry that was changed, removed, inserted or moved is ' +
    'named.',
  refuses: ['payload_too_large', 'request_timeout'],
  answer: VerifiedBooksSchema,
  // `addVerifyCommand` reads the file and sends it.
  command: null,
  read: (deps, { file, reply }) =>
    reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(whileAwaited(verified(deps, headsIn(file.toString()))))),
})

async function verified(deps: VerifyDeps, heads: readonly SealHead[]): Promise<VerifiedBooks> {
  const { head, found } = await verifyBooks(deps, heads)
  if (!found) return { ...head, found: null }
  const { what, position, entry } = found
  return { ...head, found: { what, position, kind: entry?.kind ?? null, entry: entry && nameOf(entry) } }
}

/**
 * An answer as JSON that may take minutes: a million entries take eleven seconds. It begins within the time
 * that every answer has, and spaces show that the work goes on; JSON may begin with them. If the work fails
 * after the first space, the connection is closed in the middle of the answer, which callers see as an error.
 */
async function* whileAwaited(work: Promise<object>): AsyncGenerator<string> {
  const answer = work.then((value) => JSON.stringify(value))
  for (;;) {
    const ended = await Promise.race([answer, setTimeout(SIGN_OF_LIFE_MS, ' ', { ref: false })])
    yield ended
    if (ended !== ' ') return
  }
}

// Blanks end with their line: if they went on, a file of blank lines would be read anew from each of them.
const HEAD = /^[ \t\uFEFF]*(\d{1,15}) ([0-9a-f]{64})\b/gm

/** Ignores all else in a line. A mail that was saved as it came breaks long lines by `=`. */
export function headsIn(text: string) {
  return [...text.replace(/=\r?\n/g, '').matchAll(HEAD)].map(([, position, hash]) => ({
    position: Number(position),
    hash: String(hash),
  }))
}

interface Found extends Pick<NonNullable<VerifiedBooks['found']>, 'what' | 'position'> {
  /** Null: only its position is known. */
  readonly entry: Entry | null
}

/**
 * `heads`: those that somebody else has kept. The answer's `head` is the last seal; where something is found
 * in the chain, the last one that fits.
 */
export async function verifyBooks(
  { database, clock, wallClock }: VerifyDeps,
  heads: readonly SealHead[],
): Promise<{ readonly head: SealHead; readonly found: Found | null }> {
  let head = NO_HEAD
  for (;;) {
    const seal = await checkPage(database, head)
    if (seal === null) break
    if (seal.isBroken) return { head: seal.before, found: await explain(database, seal) }
    head = { position: seal.position, hash: seal.hash }
  }
  const today = wallClock.dayAt(clock.now())
  const early = await findRemovedEarly(database, keptSince(today))
  if (early) return { head, found: { what: 'changed', position: early.position, entry: early } }
  const inserted = await findInserted(database, clock.now())
  if (inserted) return { head, found: { what: 'inserted', position: null, entry: inserted } }
  const other = await findOtherHead(database, heads)
  if (!other) return { head, found: null }
  const what = other.isMissing ? 'cut' : 'resealed'
  return { head, found: { what, position: other.position, entry: await entryAt(database, other.position) } }
}

/** What became of an entry is told from which seal it was sealed behind, and what stands there now. */
async function explain(database: Database, seal: Seal): Promise<Found> {
  const { position, before, content, hash } = seal
  if (position !== before.position + 1) {
    return { what: 'removed', position: before.position + 1, entry: await numberBefore(database, seal) }
  }
  if (content === null) return { what: 'removed', position, entry: seal }
  const isOutOfPlace = await nextFollowsOn(database, { position, hash: before.hash })
  const sealedBehind = await sealBefore(database, content, hash)
  if (sealedBehind === null) {
    if (isOutOfPlace) return { what: 'inserted', position, entry: seal }
    const missing = await numberBefore(database, seal)
    if (missing) return { what: 'removed', position, entry: missing }
    return { what: 'changed', position, entry: seal }
  }
  if (isOutOfPlace) return { what: 'moved', position, entry: seal }
  const what = sealedBehind < position ? 'inserted' : 'moved'
  const other = sealedBehind < position ? sealedBehind + 1 : sealedBehind
  return { what, position: other, entry: await entryAt(database, other) }
}

/** Numbers have no gaps: the one before, if it has no seal. */
async function numberBefore(database: Database, { kind, series, number }: Entry): Promise<Entry | null> {
  const missing = { kind, series, number: number - 1, actId: '' }
  if (missing.number < 1 || (await entryNumbered(database, missing))) return null
  return missing
}

function nameOf({ kind, series, number, actId }: Entry): string {
  if (kind === 'document') return receiptNumber(series, number)
  return kind === 'act' ? actId : `${series} ${number}`
}
