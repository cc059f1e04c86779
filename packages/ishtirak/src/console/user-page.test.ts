// The page of a user: what the plan is and why; and the portal as that user sees it, where nothing can be
// done.
import { type ConsoleVisit, enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'

const DAY_SECONDS = 86_400

describeWorld('the page of a user', { env: { TRANSFER_FILE } }, ({ world }) => {
  let visit: ConsoleVisit
  beforeEach(async () => {
    visit = await enterConsole(world, ROLE_KEYS.owner)
  })

  const pageOf = (userId: string, more = '') =>
    visit.open(`/console/users/${encodeURIComponent(userId)}${more}`)
  const words = async (userId: string) => wordsOf((await pageOf(userId)).text)
  /** The session of an operator does not last that long. */
  const advance = async (days: number) => {
    await world.advance(days * DAY_SECONDS)
    visit = await enterConsole(world, ROLE_KEYS.owner)
  }
  const grant = (userId: string, days: number) =>
    operatorOf(world, ROLE_KEYS.owner).post(`/users/${userId}/grant`, { days, why: 'ticket 4711' })

  it('says what the plan is and why: by which payment or granted days, and since when', async () => {
    await world.as('user-1').buy()
    expect(await words('user-1')).toContain(
      'The ends of months are counted from 21 November 2026 at 13:00; 1 month so far.',
    )
    await grant('user-1', 14)
    const said = await words('user-1')
    for (const part of [
      ...['0 of 10', 'Ordered: Pro · 2 000 DA', 'owner Days granted ticket 4711'],
      'Pro until 4 January 2027 at 13:00, 44 days left.',
      'Pro · 1 month · paid · 2 000 DA · EDAHABIA card (Algérie Poste) ' +
        '21 November 2026 at 13:00 21 December 2026 at 13:00',
      'Pro · 14 days · granted by owner: ticket 4711 21 December 2026 at 13:00 4 January 2027 at 13:00',
      'The next month is counted from 4 January 2027 at 13:00, where the granted days end.',
    ])
      expect(said).toContain(part)
  })

  it('says that it is in grace, over, ended by an operator, or that there was nothing', async () => {
    await setProfile(world, 'user-1', { name: 'Amina' })
    expect(await words('user-1')).toContain('Nothing was paid or granted so far. The plan is Free,')
    await world.as('user-1').buy()
    await advance(31)
    const over = 'Pro ended on 21 December 2026 at 13:00'
    expect(await words('user-1')).toMatch(new RegExp(`${over}, and still works until 2\\d December`))
    await advance(10)
    expect(await words('user-1')).toMatch(new RegExp(`${over}\\. The plan is Free since 2\\d December`))
    await grant('user-1', 3)
    await operatorOf(world, ROLE_KEYS.owner).post('/users/user-1/end', { why: 'a stolen card' })
    expect(await words('user-1')).toMatch(
      /Access was ended on 1 January 2027 at \S+ The plan is Free\. Access ended, by owner\. a stolen card/,
    )
  })

  it('has what waits on top, and never that nothing was paid while money is under review', async () => {
    world.emulator.setFaults({ wrong_amount: { times: 1 } })
    const { paymentId } = await world.as('user-1').buy()
    const { text } = await pageOf('user-1')
    const said = wordsOf(text)
    expect(said).toContain('What waits')
    expect(said).toMatch(/Payment under review Amount: 2 000 DA here, 50 DA at the provider 2 000 DA/)
    expect(text.indexOf('id="waiting"')).toBeLessThan(text.indexOf('id="facts"'))
    expect(text).toContain(`href="${world.base}/console/payments/${paymentId}"`)
    expect(said).toContain(
      'Nothing is booked so far; what waits stands above. The plan is Free, without an end.',
    )
    expect(said).not.toContain('Nothing was paid')
    const { body } = await operatorOf(world, ROLE_KEYS.owner).get('/users/user-1')
    expect(body.waiting).toMatchObject([{ kind: 'payment_review', id: paymentId, user_id: 'user-1' }])
    // Of another user nothing stands there, and nothing once it is decided.
    await world.as('user-2').upgrade()
    expect(await words('user-2')).not.toContain('What waits')
    expect(await words('user-2')).toContain('Nothing was paid or granted so far.')
    await operatorOf(world, ROLE_KEYS.owner).post(`/payments/${paymentId}/accept`, { why: 'seen' })
    expect(await words('user-1')).not.toContain('What waits')
  })

  it('says first whether a payment is booked, what the provider says and which mail went out', async () => {
    const ordered = async () => /Paid but no access\? (.*?) User /.exec(await words('user-1'))?.[1]
    await setProfile(world, 'user-1', {})
    expect(await ordered()).toBe('Access Free Last payment No payment so far')
    const { checkoutId } = await world.as('user-1').upgrade()
    expect(await ordered()).toBe(
      'Access Free Last payment Pro · 1 month · 2 000 DA ' +
        'Status The page to pay on was opened on 21 November 2026 at 13:00. ' +
        'The provider has reported no payment so far; it can be paid until 21 November 2026 at 13:30. ' +
        'The provider says Nothing so far Mail No mail about it Ask the provider now',
    )
    await world.emulator.pay(checkoutId, 'failed')
    await world.emulator.settled()
    expect(await ordered()).toContain(
      'The payment failed, and nothing was booked. The user can begin another one. ' +
        'The provider says failed, 21 November 2026 at 13:00 (the provider’s notice)',
    )
    world.clock.advance(1_000)
    await world.as('user-1').post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
    expect(await ordered()).toMatch(
      /It was ordered on 21 November .*\. No operator has seen the money so far; .*The payment failed/,
    )
    world.clock.advance(1_000)
    await world.as('user-1').buy()
    expect(await ordered()).toMatch(
      /^Access Pro until .* The payment is now: paid\. .*Mail Receipt · 21 November .* · on its way$/,
    )
  })

  it('offers three common acts, the others folded, those that take something away apart', async () => {
    await world.as('user-1').buy()
    const { text } = await pageOf('user-1')
    const acts = text.slice(text.indexOf('id="facts"'), text.indexOf('id="plan"'))
    const [open = '', more = ''] = acts.split('<details class="more">')
    const [folded = '', apart = ''] = more.split('<p class="actions apart">')
    expect(open.match(/href=/g)).toHaveLength(3)
    expect([open.includes('/portal"'), folded.includes('/correct-address"')]).toEqual([true, true])
    expect(apart).toContain(`href="${world.base}/console/users/user-1/end"`)
    expect(text).toMatch(/<details class="card" open><summary><h2>Timeline/)
  })

  it('says of time that is over that it ended, also among the hits of the search', async () => {
    const said = ['December', 'November'].map((one) => `Free (Pro ended on 21 ${one} 2026 at 13:00)`)
    await setProfile(world, 'user-1', { name: 'Amina' })
    await setProfile(world, 'user-2', { name: 'Amine' })
    await world.as('user-1').buy()
    await world.as('user-2').buy()
    await operatorOf(world, ROLE_KEYS.owner).post('/users/user-2/end', { why: 'x' })
    await advance(41)
    const found = wordsOf((await visit.open('/console/search?q=ami')).text)
    for (const [index, says] of said.entries())
      for (const text of [found, await words(`user-${index + 1}`)]) expect(text).toContain(says)
    expect(found).not.toContain('Free until')
    const { body } = await operatorOf(world, ROLE_KEYS.owner).get('/search?q=ami')
    expect(body.users).toMatchObject([
      { user_id: 'user-1', plan: 'free', status: 'expired', current_period_end: '2026-12-21T12:00:00Z' },
      { user_id: 'user-2', plan: 'free', status: 'canceled' },
    ])
  })

  it('links to no act that the page does not show', async () => {
    await world.as('user-1').buy()
    await operatorOf(world, ROLE_KEYS.owner).post('/users/user-1/end', { why: 'a stolen card' })
    for (let n = 0; n < 10; n += 1) {
      world.clock.advance(1_000)
      await pageOf('user-1', '/portal')
    }
    const { text } = await pageOf('user-1')
    expect(wordsOf(text)).toContain('Access ended, by owner. a stolen card')
    const targets = [...text.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id)
    expect(targets.filter((id) => !text.includes(`id="${id}"`))).toEqual([])
  })

  it('a name can do nothing, and a user is found under any id', async () => {
    const names = {
      'a/b?c': ['<script>alert(1)</script>', 'alert'],
      اسم: ['\u202eanimA\u202c\u2069 x', 'animA x'],
      '<i>': ['n'.repeat(200), 'n'.repeat(200)],
      '.hidden': ['"><img src=x onerror=alert(1)>', 'onerror'],
    } as const
    for (const [userId, [name, kept]] of Object.entries(names)) {
      await setProfile(world, userId, { name, locale: 'en' })
      await world.as(userId).buy()
      for (const more of ['', '/portal']) {
        const { status, text } = await pageOf(userId, more)
        expect([userId, status, text.length < 60_000]).toEqual([userId, 200, true])
        expect(text).not.toMatch(/<script|<img|<i>/)
        expect(text).toContain('2026')
        if (more === '') expect(text).toContain(kept)
      }
      expect((await pageOf(userId)).text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
    }
  })

  describe('the portal as the user sees it', () => {
    it('is in the language of the user, marked in that of the operator, for every role', async () => {
      await setProfile(world, 'user-1', { locale: 'fr', name: 'Amina' })
      const { text } = await pageOf('user-1', '/portal')
      expect(text).toMatch(/^<!doctype html><html lang="fr" dir="ltr">/)
      expect(text).toMatch(/<body><aside class="notice warn viewed-as-user" lang="en" dir="ltr"/)
      expect(wordsOf(text)).toContain('Votre abonnement')
      expect(await words('user-1')).toMatch(/owner Portal seen as the user/)
      const viewer = await enterConsole(world, ROLE_KEYS.viewer)
      expect((await viewer.open('/console/users/user-1/portal')).status).toBe(200)
    })

    it('has nothing that acts: no form, no link into the portal, no token', async () => {
      const user = world.as('user-1')
      const looks = ['free']
      const check = async () => {
        const { text, headers } = await pageOf('user-1', '/portal')
        expect(text).not.toMatch(/<form|form_token|href="[^"]*\/portal|checkouts\//)
        expect(text).not.toContain(world.emulator.url)
        expect(headers.get('content-security-policy')).toContain("form-action 'none'")
        looks.push(text)
      }
      await setProfile(world, 'user-1', { locale: 'en' })
      await check()
      await user.post('/api/v1/billing/payments', { plan: 'pro', method: 'transfer' })
      await check()
      await user.upgrade()
      await check()
      await user.buy()
      await check()
      expect(new Set(looks).size).toBe(5)
    })
  })
})
