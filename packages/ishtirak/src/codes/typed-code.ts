// Reads a code that a user typed, finds it by its keyed hashes, and counts the tries. All invalid codes are
// refused alike: with the same answer, after the same queries.
import type { DiscountSource } from '../acts/capability.js'
import type { AskedCode } from '../checkout/quote.js'
import { type CodeFacts, readCode } from '../core/code.js'
import { BillingError } from '../core/error.js'
import type { CommonParts } from '../ledger/parts.js'
import { secondsUntil } from '../ledger/refusals.js'
import { keyedDigest } from '../runtime/secret.js'
import { beginTry, findCode, forgetTry } from './code-uses.sql.js'
import type { CodeConfig } from './settings.js'

export type CodeDeps = CodeConfig & Pick<CommonParts, 'database' | 'clock' | 'noteUse'>

export async function lookUpCode(
  { database, codeKeys, noteUse }: CodeDeps,
  { userId, typed, methods }: AskedCode,
): Promise<CodeFacts | null> {
  const hashes = hashesOf(codeKeys, typed)
  const found = await findCode(database, { userId, hashes, methods })
  const key = found && codeKeys[hashes.indexOf(found.hash)]
  if (key) noteUse('CODE_KEYS', key)
  return found
}

/** An impossible code is looked up like any other: no stored hash is equal to its own. */
export function hashesOf(codeKeys: readonly string[], typed: string): readonly string[] {
  return codeKeys.map((key) => keyedDigest(key, readCode(typed) ?? typed))
}

/**
 * Runs `work` on a typed code. The try counts before the code is read, and is taken back if the code was not
 * the problem. Throws `too_many_wrong_codes` before anything is read.
 */
export async function countingTries<Result>(
  { database, clock }: CodeDeps,
  userId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const now = clock.now()
  const nextAt = await beginTry(database, userId, now)
  if (nextAt !== null) {
    throw new BillingError('too_many_wrong_codes', { retryAfterSeconds: secondsUntil(nextAt, now) })
  }
  const forget = () => forgetTry(database, userId, now)
  try {
    const result = await work()
    await forget()
    return result
  } catch (error) {
    const isWrong = error instanceof BillingError && error.code === 'code_not_valid'
    if (!isWrong) await forget()
    throw error
  }
}

export function discountByCode(deps: CodeDeps): DiscountSource {
  return {
    lookUp: (of) => lookUpCode(deps, of),
    countTry: (userId, work) => countingTries(deps, userId, work),
  }
}
