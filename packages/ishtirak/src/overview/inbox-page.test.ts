// The page of the inbox: what waits, each with a link to where its next act is done.

import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { payElsewhere } from '../../../../test/support/foreign-checkout.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { payUnderReview } from '../../../../test/support/other-amount.js'
import { bytesOf, wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { sql } from '../../../../test/support/sql.js'
import { orderTransfer } from '../../../../test/support/transfers.js'

const failMails = sql(`update mails set outcome = 'refused: 550 no such user', due_at = null`)
const waitForAnother = sql(`update transfers set approvals = $1::jsonb`)
const switchOff = sql(`insert into event_endpoint (url, deliver_from, disabled_at, disabled_because)
   values ('https://host.example', '2026-01-01', '2026-11-21', 'answered 410')`)
const multiply = sql(`with known as (
     insert into users (user_id, created_at) select 'user-' || n, '2026-11-20' from generate_series(1, 120) n
         on conflict do nothing)
   insert into mails (user_id, kind, about, queued_at, outcome)
   select 'user-' || n, 'receipt', m, '2026-11-20', 'refused: ' || repeat('و', 490)
     from generate_series(1, 120) n, generate_series(1, 3) m`)

describeWorld('the page of the inbox', { env: { TRANSFER_FILE } }, ({ world, database }) => {
  it('leads from each entry to where its next act is done', async () => {
    await setProfile(world, 'a/b', { email: 'amina@example.dz', name: '<b>Amina' })
    const paymentId = await payUnderReview(world, 'a/b')
    await world.as('user-2').buy()
    const body = await orderTransfer(world, 'user-3')
    const approval = { by: 'lina', at: world.clock.now(), amount: 2000, receivedAt: 0, instrument: 'ccp' }
    await database().query(waitForAnother, [JSON.stringify([approval])])
    const waiting = await orderTransfer(world, 'user-4')
    await database().query(failMails, [])
    await database().query(switchOff, [])
    world.clock.advance(3 * 86_400_000)
    const visit = await enterConsole(world, OPERATOR_KEY)
    const { text } = await visit.open()
    const words = wordsOf(text)
    expect(words).toMatch(/Urgent:.* \(3\).*When there is time \(\d\)/)
    expect(words).toContain('3 days Decide')
    const expected = ['<details class="card" open>', '<details class="card">']
    expect(text.match(/<details class="card"( open)?>/g)).toEqual(expected)
    const at = `${world.base}/console`
    for (const [said, href] of [
      ['Payment under review Amount: 2 000 DA here, 50 DA at the provider', `${at}/payments/${paymentId}`],
      ['Transfer to approve a second time Approved by lina', `${at}/payments/${body.id}/approve`],
      ['Mail not sent: Receipt Refused by the mail server: 550 no such user', `${at}/users/user-2`],
      [
        'Events are not delivered The platform’s address is switched off: answered 410',
        `${at}/health#deliveries`,
      ],
      [
        `Transfer without a proof Reference ${waiting.transfer.reference.replaceAll('-', '')}`,
        `${at}/payments/${waiting.id}/approve`,
      ],
      ['&lt;b>Amina amina@example.dz', `${at}/users/a%2Fb`],
    ] as const) {
      expect([said, words.includes(said) || text.includes(said)]).toEqual([said, true])
      expect([said, text.includes(`href="${href}"`)]).toEqual([said, true])
    }
    expect(text).not.toContain('<b>Amina')
  })

  it('leads from a difference about a payment that is not ours to what was found', async () => {
    await payElsewhere(world, { payment_id: 'pay_of_another_shop', user_id: 'user-of-another-shop' })
    await operatorOf(world).post('/reconciliations/start', { since: '2026-11-01' })
    const visit = await enterConsole(world, OPERATOR_KEY)
    const { text } = await visit.open()
    expect(text).not.toContain('/payments/pay_of_another_shop')
    const [, id = ''] = /href="[^"]*\/console\/health#(dsc_[^"]*)"/.exec(text) ?? []
    const health = (await visit.open('/console/health')).text
    expect(health).toContain(`id="${id}"`)
    expect(wordsOf(health)).toContain('Paid at the provider, unknown here')
    expect(health).not.toMatch(/href="[^"]*(payments\/pay_of|users\/user-of)/)
    const closing = wordsOf((await visit.open(`/console/discrepancies/${id}/close`)).text)
    for (const part of ['Payment, as the provider names it', 'pay_of_another_shop', '2 000 DA'])
      expect(closing).toContain(part)
    for (const other of ['x', '%00'])
      expect([other, (await visit.open(`/console/discrepancies/${other}/close`)).status >= 400]).toEqual([
        other,
        true,
      ])
  })

  it('has pages, and a way back to the first', async () => {
    await world.as('user-1').buy()
    await database().query(multiply, [])
    const visit = await enterConsole(world, OPERATOR_KEY)
    const first = (await visit.open('/console?kind=mail_failed')).text
    expect(wordsOf(first)).toContain('Mail not sent (100 or more)')
    expect(wordsOf(first)).toContain('Mails not sent: 3')
    expect(first.match(/<td/g)?.length).toBe(5 * 24)
    expect(bytesOf(first, world)).toBeLessThan(60_000)
    const next = /href="([^"]+cursor=[^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await visit.open(next.slice(world.base.length))
    expect(second.text.match(/<td/g)?.length).toBe(5 * 24)
    expect(second.text).not.toEqual(first)
    expect(second.text).toContain(`href="${world.base}/console?kind=mail_failed">First page`)
    expect((await visit.open('/console?cursor=odd')).status).toBe(422)
  })
})
