// A simple model of usage: maps in memory, sequential operations. What the service answers must be the same.
import type { UsageOperation } from '../../packages/ishtirak/src/limits/decide-usage.js'

interface ModelAnswer {
  readonly kind: 'done' | 'denied' | 'conflict'
  readonly maximum?: number
  readonly used?: number
  readonly resetsAt?: number | null
}

interface Remembered {
  readonly amount: number
  readonly place: string
  /** The operation that was given back. */
  readonly of: string
  readonly answer: ModelAnswer
  givenBack: number
  readonly endsAt: number | null
}

export function createModel() {
  const counts = new Map<string, { used: number; endsAt: number | null; countsAs: string }>()
  const operations = new Map<string, Remembered>()

  return (operation: UsageOperation): ModelAnswer => {
    const { kind, limit, scopeId, operationId, maximum } = operation
    const place = `${limit}/${scopeId}`
    const known = kind === 'report' ? undefined : operations.get(`${kind} ${operationId}`)
    if (known) {
      const isSame = known.place === place && known.amount === (operation.amount ?? known.amount)
      return isSame && known.of === (operation.consumeOperationId ?? operationId)
        ? known.answer
        : { kind: 'conflict' }
    }
    const count = counts.get(place)
    // Made while the limit was counted in another way: not what is asked for.
    const current = count?.countsAs === operation.countsAs ? count : undefined
    const endsAt = endOf(operation, current?.endsAt ?? null)
    const before = current && current.endsAt === endsAt ? current.used : 0
    const consumed = consumedBy(operation, place)
    const amount = operation.amount ?? consumed?.amount ?? 1
    if (kind === 'consume' && before + amount > maximum) {
      return { kind: 'denied', maximum, used: before, resetsAt: endsAt }
    }
    const returned = kind === 'release' ? returnedBy(operation, { consumed, amount, before, endsAt }) : 0
    if (consumed) consumed.givenBack += returned
    const used = kind === 'report' ? amount : kind === 'consume' ? before + amount : before - returned
    counts.set(place, { used, endsAt, countsAs: operation.countsAs })
    const answer: ModelAnswer = { kind: 'done', maximum, used, resetsAt: endsAt }
    if (kind !== 'report') {
      const of = operation.consumeOperationId ?? operationId
      operations.set(`${kind} ${operationId}`, { amount, place, of, answer, givenBack: 0, endsAt })
    }
    return answer
  }

  function consumedBy(operation: UsageOperation, place: string): Remembered | undefined {
    if (operation.kind !== 'release') return undefined
    const found = operations.get(`consume ${operation.consumeOperationId ?? operation.operationId}`)
    return found?.place === place ? found : undefined
  }
}

function returnedBy(
  operation: UsageOperation,
  of: { consumed: Remembered | undefined; amount: number; before: number; endsAt: number | null },
): number {
  const { consumed, amount, before, endsAt } = of
  if (!consumed) return operation.consumeOperationId === null ? Math.min(amount, before) : 0
  return consumed.endsAt === endsAt ? Math.min(amount, consumed.amount - consumed.givenBack, before) : 0
}

/** A count may be of a later day or month. */
function endOf({ resetsAt }: UsageOperation, counted: number | null): number | null {
  if (resetsAt === null || counted === null) return resetsAt
  return resetsAt <= counted ? counted : resetsAt
}
