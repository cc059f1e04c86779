// What a report says differently from our own row. Each difference is stored as one line of English text, and
// is parsed again to show it in another language.
import type { MethodTraits } from './checkout.js'

export type Differing =
  | 'amount'
  | 'currency'
  | 'live'
  | 'payment_id'
  | 'user_id'
  | 'kind'
  | 'plan_id'
  | 'months'

export interface Difference {
  readonly name: string
  readonly ours: string
  /** The side that reported the other value. */
  readonly by: MethodTraits['settledBy']
  readonly theirs: string
}

/** A checkout of the provider that has no page to pay on. */
export const NO_ADDRESS = 'checkout_url: missing, or not http and not https'

export function describeDifference(name: Differing, { ours, by, theirs }: Omit<Difference, 'name'>): string {
  return `${name}: ours is ${ours}, the ${by} says ${theirs}`
}

/** Null: `describeDifference` did not write this text. */
export function readDifference(text: string): Difference | null {
  const [, name, ours, by, theirs] =
    /^(\w+): ours is (.*?), the (provider|operator) says (.*)$/s.exec(text) ?? []
  if (name === undefined || ours === undefined || theirs === undefined) return null
  return { name, ours, by: by === 'operator' ? by : 'provider', theirs }
}
