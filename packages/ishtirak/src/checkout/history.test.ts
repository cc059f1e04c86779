import { expect, it } from 'vitest'
import { describeWorld } from '../../../../test/support/describe-world.js'

describeWorld('a history', {}, ({ world }) => {
  it('gives each payment once, page by page, when all were made in one millisecond', async () => {
    const user = world.as('user-1')
    const made: string[] = []
    // The clock does not run, and ids of one instant have no order.
    for (let count = 0; count < 4; count++) {
      const { checkoutId, paymentId } = await user.upgrade()
      made.push(paymentId)
      await world.pay(checkoutId, 'canceled')
    }
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body } = await user.get(`/api/v1/billing/payments?limit=1${cursor && `&cursor=${cursor}`}`)
      seen.push(...body.data.map(({ id }: { id: string }) => id))
      cursor = body.next_cursor
    }
    expect(seen.sort()).toEqual([...made].sort())
  })
})
