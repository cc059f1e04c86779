import path from 'node:path'
import { expect, it } from 'vitest'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { createWorld } from '../../../../test/support/world.js'

const PLANS_FILE = path.resolve(import.meta.dirname, '../../../../test/fixtures/terms.json')

describeScenario('the page of a refund', ({ database }) => {
  it('lets the operator choose the way, and asks once', async () => {
    await using world = await createWorld(database(), {
      env: { BALANCE_MAX: '50000', OPERATOR_KEYS: `amina:${OPERATOR_KEY}` },
    })
    const { paymentId } = await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    const path = `/console/payments/${paymentId}/refund`
    const page = await visit.ask(path)
    const { text } = await visit.open(path)
    const radios = [...text.matchAll(/<input type="radio"[^>]*>/g)].map(([radio]) => radio)
    expect(radios).toEqual([
      '<input type="radio" name="to" value="hand" checked required/>',
      '<input type="radio" name="to" value="balance" required/>',
    ])
    expect(page.words).toContain('by hand, outside Access: from Pro until')
    expect(page.words).toMatch(/to the balance Access: .* Balance: from 0 DA to 2.000 DA/)
    const answer = await visit.submit(path, { ...page.fields, to: 'balance', why: 'asked for' })
    expect(answer.headers.get('location')).toMatch(/\?done=act_/)
    const { body } = await operatorOf(world).get('/users/user-1')
    expect(body.balance.amount).toBe(2_000)
  })

  it('leaves out a way for which the balance has too little', async () => {
    await using world = await createWorld(database(), {
      env: { BALANCE_MAX: '50000', PLANS_FILE, OPERATOR_KEYS: `amina:${OPERATOR_KEY}` },
    })
    const user = world.as('user-1')
    await user.buy()
    const { body } = await user.post('/api/v1/billing/payments', { plan: 'team', start: 'now' })
    await operatorOf(world).post('/users/user-1/end', { why: 'a test' })
    await world.pay(body.checkout_url)
    // It came to the balance, which no longer has all of it.
    await user.post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
    const { status, text } = await (await enterConsole(world, OPERATOR_KEY)).open(
      `/console/payments/${body.id}/refund`,
    )
    const radios = [...text.matchAll(/<input type="radio"[^>]*value="(\w+)"/g)].map(([, way]) => way)
    expect([status, radios]).toEqual([200, ['balance']])
  })
})
