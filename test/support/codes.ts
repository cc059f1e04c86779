// Codes of a world: the key that makes their hashes; and what is known of a code.
import type { CodeBatch, CodeFacts } from '../../packages/ishtirak/src/core/code.js'

/** For the environment of a world that has codes. */
export const CODE_ENV = { CODE_KEYS: 'a-key-for-the-codes-of-the-tests' }

/** Of a code that nobody has used: 10 percent off whatever is bought. */
export function aCode(batch: Partial<CodeBatch> = {}, uses: Partial<CodeFacts> = {}): CodeFacts {
  const ofKind = { plan: null, planId: null, months: null, percent: null, amount: null }
  const worth = batch.kind === undefined ? { kind: 'percent' as const, percent: 10 } : { kind: batch.kind }
  const bounds = { count: 1, uses: 1, usesPerUser: 1, from: null, until: null, revokedAt: null }
  const whole = { id: 'bat_01', ...ofKind, ...bounds, ...worth, ...batch }
  return { hash: 'hash-1', used: 0, usedByUser: 0, batch: whole, ...uses }
}
