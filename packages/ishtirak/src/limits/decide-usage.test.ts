// Decisions equal those of a plain way to count, whatever happened before.
import fc from 'fast-check'
import { forAll } from '../../../../test/support/for-all.js'
import { createModel } from '../../../../test/support/usage-model.js'
import { anOperation, operation } from '../../../../test/support/usage-operations.js'
import type { UserRecord } from '../ledger/users.sql.js'
import {
  decideUsage,
  type FoundUsage,
  givesBackOf,
  type StoredCount,
  type StoredOperation,
  type UsageOperation,
} from './decide-usage.js'

const NOTHING: FoundUsage = { user: null, known: null, consumed: null, count: null }

function createStore() {
  const counts = new Map<string, StoredCount>()
  const stored = new Map<string, StoredOperation>()
  return (asked: UsageOperation) => {
    const { limit, scopeId, kind, operationId, consumeOperationId, countsAs, maximum } = asked
    const place = `${limit}/${scopeId}`
    const consumeKey = `consume ${consumeOperationId ?? operationId}`
    const consumed = stored.get(consumeKey)
    const isThere = consumed?.limit === limit && consumed.scopeId === scopeId
    const count = counts.get(place) ?? null
    const known = stored.get(`${kind} ${operationId}`) ?? null
    const found = { user: null, known, consumed: isThere ? consumed : null, count }
    const { answer, change } = decideUsage(asked, found)
    if (!change) return answer
    const { used, resetsAt, revision, amount, returned } = change
    expect(revision).toBe(count?.revision ?? 0)
    counts.set(place, { countsAs, used, resetsAt, revision: revision + 1 })
    // The query does the same: only an operation of this count was given back.
    if (isThere && returned > 0)
      stored.set(consumeKey, { ...consumed, givenBack: consumed.givenBack + returned })
    const figures = {
      limit,
      scopeId,
      amount,
      givesBack: givesBackOf(asked),
      givenBack: 0,
      maximum,
      used,
      resetsAt,
    }
    if (kind !== 'report') stored.set(`${kind} ${operationId}`, figures)
    return answer
  }
}

it('usage is counted as the plain way counts it, and never more is given back than was consumed', () =>
  forAll(200, fc.array(anOperation(), { minLength: 1, maxLength: 40 }), (operations) => {
    const [store, model] = [createStore(), createModel()]
    for (const asked of operations) expect(store(asked)).toEqual(model(asked))
  }))

it('what was asked on other facts of the user is not decided, and the facts are told', () => {
  const user = { version: 3 } as UserRecord
  const decided = decideUsage(operation({ version: 2 }), { ...NOTHING, user })
  expect(decided).toEqual({ answer: { kind: 'outdated', user }, change: null })
  expect(decideUsage(operation({ version: 3 }), { ...NOTHING, user }).answer.kind).toBe('done')
  expect(decideUsage(operation({ version: 3 }), NOTHING).answer).toEqual({ kind: 'outdated', user: null })
})
