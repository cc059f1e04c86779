// A simple model of usage: maps in memory, sequential operations. The SQL statement must give the same answers.
import { HOUR } from '../../packages/ishtirak/src/core/instant.js'
import type { UsageOperation } from '../../packages/ishtirak/src/limits/consume.sql.js'

interface ModelAnswer {
  readonly kind: 'done' | 'denied' | 'conflict'
  readonly maximum?: number
  readonly used?: number
  readonly resetsAt?: number | null
}

interface Remembered {
  readonly amount: number
  readonly place: string
  readonly answer: ModelAnswer
  givenBack: number
  readonly day: number | null
}

export function createModel() {
  const counts = new Map<string, { used: number; day: number | null }>()
  const operations = new Map<string, Remembered>()

  return (operation: UsageOperation): ModelAnswer => {
    const { kind, limit, projectId, operationId, maximum } = operation
    const place = `${limit}/${projectId}`
    const known = kind === 'report' ? undefined : operations.get(`${kind} ${operationId}`)
    if (known) {
      const isSame = known.place === place && known.amount === (operation.amount ?? known.amount)
      return isSame ? known.answer : { kind: 'conflict' }
    }
    const count = counts.get(place)
    const day = dayOf(operation.resetsAt, count?.day ?? null)
    const before = count && count.day === day ? count.used : 0
    const consumed = consumedBy(operation, place)
    const amount = operation.amount ?? consumed?.amount ?? 1
    if (kind === 'consume' && before + amount > maximum) {
      return { kind: 'denied', maximum, used: before, resetsAt: day }
    }
    const returned = kind === 'release' ? returnedBy(operation, { consumed, amount, before, day }) : 0
    if (consumed) consumed.givenBack += returned
    const used = kind === 'report' ? amount : kind === 'consume' ? before + amount : before - returned
    counts.set(place, { used, day })
    const answer: ModelAnswer = { kind: 'done', maximum, used, resetsAt: day }
    if (kind !== 'report') {
      operations.set(`${kind} ${operationId}`, { amount, place, answer, givenBack: 0, day })
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
  of: { consumed: Remembered | undefined; amount: number; before: number; day: number | null },
): number {
  const { consumed, amount, before, day } = of
  if (!consumed) return operation.consumeOperationId === null ? Math.min(amount, before) : 0
  return consumed.day === day ? Math.min(amount, consumed.amount - consumed.givenBack, before) : 0
}

/** A count may be one day ahead of the caller's clock; one further ahead was written by a wrong clock. */
function dayOf(asked: number | null, counted: number | null): number | null {
  if (asked === null || counted === null) return asked ?? counted
  return asked <= counted && counted <= asked + 25 * HOUR ? counted : asked
}
