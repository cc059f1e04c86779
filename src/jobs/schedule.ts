// Everything that runs by itself, on one screen. Each job is a sweep over rows that are due: it may be late, run twice or
// be killed at any line. None of them gives or takes access; they find out, announce and tidy.
import type { Billing } from '../billing/billing.js'
import { MINUTE, SECOND } from '../domain/instant.js'

export interface Job {
  readonly name: string
  readonly everyMs: number
  /** What the job promises, for the operator. */
  readonly promise: string
  /** Works through what is due, bounded; gives how much it did. */
  run(): Promise<number>
}

/** 5 looks every 10 s are 30 calls a minute: half of what the provider allows, the rest is for people who wait. */
const LOOKS_A_ROUND = 5

/** 800 consumes a second, day and night, are as many as a round forgets; a burst is caught up with later. */
const FORGOTTEN_A_ROUND = 50_000

export function schedule(billing: Billing): readonly Job[] {
  return [
    {
      name: 'check-due-payments',
      everyMs: 10 * SECOND,
      promise: 'a payment that no webhook told of is booked all the same',
      run: () => billing.checkDuePayments(LOOKS_A_ROUND),
    },
    {
      name: 'forget-operations',
      everyMs: MINUTE,
      promise: 'an operation on usage is remembered for 48 hours, and not much longer',
      run: () => billing.forgetOperations(FORGOTTEN_A_ROUND),
    },
  ]
}
