import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'

describeWorld('the receipt that an operator reads', {}, ({ world }) => {
  let paymentId: string
  beforeEach(async () => {
    await setProfile(world, 'user-1', { locale: 'fr' })
    paymentId = (await world.as('user-1').buy()).paymentId
  })

  const read = (query = '', key: string = ROLE_KEYS.support, id = paymentId) =>
    fetch(`${world.url}/api/v1/operator/payments/${id}/receipt${query}`, {
      headers: { authorization: `Bearer ${key}` },
    })
  const trail = async () =>
    (await operatorOf(world, ROLE_KEYS.owner).get('/audit?act=payment.read_receipt')).body.data

  it('is a page or a roll, in the language of its user or another, and stands in the trail', async () => {
    const [page, roll, english] = await Promise.all(
      ['', '?form=80mm', '?lang=en'].map(async (query) => {
        const answer = await read(query)
        const expected = [query, 200, 'application/pdf']
        expect([query, answer.status, answer.headers.get('content-type')]).toEqual(expected)
        const disposition = 'inline; filename="receipt-TEST-2026-000001.pdf"'
        expect(answer.headers.get('content-disposition')).toBe(disposition)
        expect(answer.headers.get('cache-control')).toBe('private, no-store')
        return Buffer.from(await answer.arrayBuffer()).toString('latin1')
      }),
    )
    expect(page).toMatch(/\/Lang\s*\(fr/)
    expect(english).toMatch(/\/Lang\s*\(en/)
    expect([page, roll].map((pdf) => /\/MediaBox\s*\[0 0 (\d+)/.exec(pdf ?? '')?.[1])).toEqual(['595', '226'])
    const read3 = await trail()
    expect(read3).toHaveLength(3)
    expect(read3[0]).toMatchObject({ actor: 'support', payment_id: paymentId, user_id: 'user-1' })
  })

  it('is refused as to its user, and then nothing is in the trail', async () => {
    const before = (await trail()).length
    const { paymentId: unpaid } = await world.as('user-2').upgrade()
    const asked: readonly [string, string, number, string][] = [
      ['', 'pay_none', 404, 'not_found'],
      ['', unpaid, 409, 'payment_not_paid'],
      ['?form=a5', paymentId, 422, 'validation_failed'],
      ['?lang=de', paymentId, 422, 'validation_failed'],
    ]
    for (const [query, id, status, code] of asked) {
      const answer = await read(query, ROLE_KEYS.owner, id)
      expect([query, id, answer.status, (await answer.json()).code]).toEqual([query, id, status, code])
    }
    const { cookie } = await enterConsole(world, ROLE_KEYS.owner)
    const headers = { cookie, 'sec-fetch-site': 'cross-site' }
    const fromElsewhere = await world.call('GET', `/console/payments/${paymentId}/receipt`, { headers })
    const expected = [303, `${world.base}/console/payments/${paymentId}`]
    expect([fromElsewhere.status, fromElsewhere.headers.get('location')]).toEqual(expected)
    expect(await trail()).toHaveLength(before)
  })
})
