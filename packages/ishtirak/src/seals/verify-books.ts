// Whether documents, balance entries and the audit trail are as they were sealed: finds the first entry that
// was changed, removed, inserted or moved.
import type { AuditDeps } from '../acts/audit.sql.js'
import { keptSince } from '../core/receipt.js'
import type { Database } from '../database/database.js'
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

interface Found {
  /** `cut`: a head lies behind the last seal. `resealed`: a head is not the hash at its position. */
  readonly what: 'changed' | 'removed' | 'inserted' | 'moved' | 'cut' | 'resealed'
  /** Null: the entry was inserted and has no seal. */
  readonly position: number | null
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
