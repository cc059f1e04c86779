import { enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { PLANS_FILE } from '../../../../test/support/setting-files.js'

const waysIn = (html: string) => [...html.matchAll(/<option value="(\w+)"/g)].map(([, way]) => way)

describeWorld('the page of a refund', { env: { BALANCE_MAX: '50000', PLANS_FILE } }, ({ world }) => {
  it('lets the operator choose the way, and asks once', async () => {
    const { paymentId } = await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    const path = `/console/payments/${paymentId}/refund`
    const page = await visit.ask(path)
    expect(waysIn((await visit.open(path)).text)).toEqual(['hand', 'balance'])
    expect(page.fields).toMatchObject({ to: 'hand' })
    expect(page.words).not.toContain('0 DA 2 000 DA')
    // An operator confirms what a page has shown, so the other way is shown first.
    const other = await visit.submit(path, { ...page.fields, to: 'balance', why: 'asked for' })
    expect([other.status, wordsOf(other.text)]).toEqual([422, expect.stringMatching(/Balance 0.DA 2.000.DA/)])
    const answer = await visit.submit(path, fieldsOfAct(other.text))
    expect(answer.headers.get('location')).toMatch(/\?done=act_/)
    const { body } = await operatorOf(world).get('/users/user-1')
    expect(body.balance.amount).toBe(2_000)
  })

  it('leaves out a way for which the balance has too little', async () => {
    const user = world.as('user-1')
    await user.buy()
    const { body } = await user.post('/api/v1/billing/payments', { plan: 'team', start: 'now' })
    await operatorOf(world).post('/users/user-1/end', { why: 'a test' })
    await world.pay(body.checkout_url)
    // The refund went to the balance, which has been spent in part since.
    await user.post('/api/v1/billing/payments', { plan: 'pro', method: 'balance' })
    const { status, text } = await (await enterConsole(world, OPERATOR_KEY)).open(
      `/console/payments/${body.id}/refund`,
    )
    expect([status, waysIn(text)]).toEqual([200, ['balance']])
  })
})
