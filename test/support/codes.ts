// Codes of a world: the key that makes their hashes; and what is known of a code.
import type { CodeBatch, CodeFacts } from '../../packages/ishtirak/src/core/code.js'
import type { OperatorCaller } from './operator.js'

export const CODE_ENV = { CODE_KEYS: 'a-key-for-the-codes-of-the-tests' }

export function aCode(batch: Partial<CodeBatch> = {}, uses: Partial<CodeFacts> = {}): CodeFacts {
  const ofKind = { plan: null, planId: null, months: null, percent: null, amount: null }
  const worth = batch.kind === undefined ? { kind: 'percent' as const, percent: 10 } : { kind: batch.kind }
  const bounds = { count: 1, uses: 1, usesPerUser: 1, from: null, until: null, revokedAt: null }
  const whole = { id: 'bat_01', ...ofKind, ...bounds, ...worth, ...batch }
  return { hash: 'hash-1', used: 0, usedByUser: 0, batch: whole, ...uses }
}

/** An operator's input. `PERCENT` is for any purchase. */
export const PERCENT = { kind: 'percent', percent: 15, count: 1, why: 'Ramadan' }
export const VOUCHER = { kind: 'months', plan: 'pro', months: 1, count: 1, why: 'sold at the desk' }

export async function makeCodes(
  operator: OperatorCaller,
  batch: object,
): Promise<{ readonly id: string; readonly code: string; readonly codes: readonly string[] }> {
  const { batch_id, codes } = (await operator.post('/codes/create', { count: 1, why: 'a test', ...batch }))
    .body
  return { id: batch_id, code: codes[0], codes }
}
