// `npm run nightly -- fault:flush` in small: the flushes of sequential commits, and of webhooks at the real
// service, seen by strace.
import { expect, it } from 'vitest'
import { describeWith } from '../support/describe-with.js'
import { countFlushes } from './flushes.js'

describeWith('strace', 'traced from outside', () => {
  it('each commit and webhook is flushed to disk before it is answered; reads flush nothing', async () => {
    const { flushes, webhooks, unflushed } = await countFlushes({ commits: 20, webhooks: 5 })
    expect(flushes['sequential commits']).toBeGreaterThanOrEqual(20)
    expect(flushes.reads ?? 0).toBe(0)
    expect({ webhooks, unflushed }).toEqual({ webhooks: 5, unflushed: 0 })
  })
})
