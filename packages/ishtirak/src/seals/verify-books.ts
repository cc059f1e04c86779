// Checks whether documents, balance entries and the audit trail are as they were sealed, and names the first
// entry that was changed, removed, inserted or moved.
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { type Static, Type } from 'typebox'
import { allPages } from '../acts/paging.js'
import { reading } from '../acts/reading.js'
import { receiptNumber } from '../core/receipt.js'
import type { Permission } from '../core/role.js'
import type { Database } from '../database/database.js'
import { nullable, object } from '../http/schemas.js'
import { sealOf } from './seal-books.js'
import {
  type Entry,
  findInserted,
  findOtherHead,
  NO_HEAD,
  type Seal,
  type SealHead,
  sealsBehind,
} from './seals.sql.js'

const VERIFY = { name: 'books.verify', roles: ['accountant'] } as const satisfies Permission

/** 100,000 heads: those of 270 years. */
const HEADS_BYTES_MAX = 8 * 1024 * 1024
const SIGN_OF_LIFE_MS = 1_000

const BrokenSealSchema = object('BrokenSeal', {
  what: Type.Enum(['changed', 'removed', 'inserted', 'moved', 'cut', 'resealed'], {
    description:
      'What became of the entry. `cut`: a head is missing, so what was sealed last was removed, or an ' +
      'older backup was restored. `resealed`: the chain up to here is another one than that of a head',
  }),
  position: nullable(Type.Integer({ description: 'Of its seal; null: it was inserted without a seal' })),
  kind: nullable(Type.Enum(['document', 'balance_entry', 'act'])),
  entry: nullable(
    Type.String({
      description: 'The number of the document, the user and sequence of the balance entry, or the act',
      examples: ['2026-000042', 'user-1 3', 'act_01jd7k3v9m4w8x2z5c6b7n8q9r'],
    }),
  ),
})
type BrokenSeal = Static<typeof BrokenSealSchema>

const VerifiedBooksSchema = object('VerifiedBooks', {
  position: Type.Integer({ description: 'The last seal; where one does not fit, the last one that fits' }),
  hash: Type.String({ description: 'Its hash; empty where nothing is sealed' }),
  found: nullable(BrokenSealSchema),
})

export interface VerifyDeps {
  readonly database: Database
}

export const verifyBooksReading = reading<VerifyDeps>()({
  ...VERIFY,
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
  // cli-verify.ts reads the file and sends it.
  command: null,
  read: ({ database }, { file, reply }) =>
    reply
      .type('application/json; charset=utf-8')
      .send(Readable.from(whileAwaited(verifyBooks(database, headsIn(file.toString()))))),
})

/**
 * An answer as JSON that may take minutes. It begins within the time that every answer has, and spaces show
 * that the work goes on; JSON may begin with them. If the work fails after the first space, the connection is
 * closed in the middle of the answer, which callers see as an error.
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

/** Reads a position and a hash from each line, and ignores the rest of it. */
export function headsIn(text: string): readonly SealHead[] {
  return [...text.matchAll(HEAD)].map(([, position, hash]) => ({
    position: Number(position),
    hash: String(hash),
  }))
}

/** All seals after a position, in pages. */
export function sealPages(database: Database, after = 0): AsyncIterable<readonly Seal[]> {
  return allPages((last: Seal | null, limit) => sealsBehind(database, last?.position ?? after, limit))
}

/** `heads`: heads that the caller has kept. */
async function verifyBooks(
  database: Database,
  heads: readonly SealHead[],
): Promise<Static<typeof VerifiedBooksSchema>> {
  let head = NO_HEAD
  for await (const page of sealPages(database)) {
    for (const seal of page) {
      const isNext = seal.position === head.position + 1 && isSealedBehind(head, seal)
      if (!isNext) return { ...head, found: await explain(database, head, seal) }
      head = { position: seal.position, hash: seal.hash }
    }
  }
  const other = await findOtherHead(database, heads)
  if (other) {
    const what = other.isMissing ? 'cut' : 'resealed'
    return { ...head, found: await brokenAt(database, what, other.position) }
  }
  const inserted = await findInserted(database)
  return { ...head, found: inserted && broken('inserted', null, inserted) }
}

function isSealedBehind(before: Pick<SealHead, 'hash'>, seal: Pick<Seal, 'content' | 'hash'>): boolean {
  return seal.content !== null && sealOf(before, seal.content) === seal.hash
}

/** Says why the seal does not follow on `head`: by the seal that it was made behind, and by its next one. */
async function explain(database: Database, head: SealHead, seal: Seal): Promise<BrokenSeal> {
  const { position } = seal
  if (position !== head.position + 1)
    return broken('removed', head.position + 1, await missingBefore(database, seal))
  if (seal.content === null) return broken('removed', position, seal)
  const [next] = await sealsBehind(database, position, 1)
  const isOutOfPlace = next !== undefined && isSealedBehind(head, next)
  const madeBehind = await positionBefore(database, seal)
  if (madeBehind === null) {
    if (isOutOfPlace) return broken('inserted', position, seal)
    const missing = await missingBefore(database, seal)
    return missing ? broken('removed', position, missing) : broken('changed', position, seal)
  }
  if (isOutOfPlace) return broken('moved', position, seal)
  return madeBehind < position
    ? brokenAt(database, 'inserted', madeBehind + 1)
    : brokenAt(database, 'moved', madeBehind)
}

/**
 * The position that the seal was made behind, wherever it stands now; 0: it was the first; null: none fits.
 */
async function positionBefore(database: Database, seal: Seal): Promise<number | null> {
  if (isSealedBehind(NO_HEAD, seal)) return NO_HEAD.position
  return (await findSeal(database, (one) => isSealedBehind(one, seal)))?.position ?? null
}

/** Numbers have no gaps. Null: the number before the seal's is sealed, or the seal has no number. */
async function missingBefore(database: Database, { kind, series, number }: Entry): Promise<Entry | null> {
  const before = { kind, series, number: number - 1, actId: '' }
  if (before.number < 1) return null
  const isIt = (one: Seal) => one.kind === kind && one.series === series && one.number === before.number
  return (await findSeal(database, isIt)) ? null : before
}

/** The first seal that fits. All seals are read. */
async function findSeal(database: Database, fits: (seal: Seal) => boolean): Promise<Seal | null> {
  for await (const page of sealPages(database)) {
    const found = page.find(fits)
    if (found) return found
  }
  return null
}

async function brokenAt(database: Database, what: BrokenSeal['what'], position: number): Promise<BrokenSeal> {
  const [seal] = await sealsBehind(database, position - 1, 1)
  return broken(what, position, seal?.position === position ? seal : null)
}

function broken(what: BrokenSeal['what'], position: number | null, entry: Entry | null): BrokenSeal {
  return { what, position, kind: entry?.kind ?? null, entry: entry && nameOf(entry) }
}

function nameOf({ kind, series, number, actId }: Entry): string {
  if (kind === 'document') return receiptNumber(series, number)
  return kind === 'act' ? actId : `${series} ${number}`
}
