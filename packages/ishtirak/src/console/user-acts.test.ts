// Acts on a user in the console: asked, shown beforehand, done once, told afterwards; and only what the role
// may.
import { USER_QUESTIONS, USER_VERBS } from '../../../../test/support/acts.js'
import { type ConsoleVisit, enterConsole, fieldsOfAct } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { PLANS_FILE } from '../../../../test/support/setting-files.js'
import { checkoutIdOf } from '../../../../test/support/world.js'

describeWorld('an act on a user', { env: { BALANCE_MAX: '10000' } }, ({ world, restart }) => {
  let visit: ConsoleVisit
  beforeEach(async () => {
    visit = await enterConsole(world, ROLE_KEYS.owner)
    const user = world.as('user-1')
    await user.buy()
    const { body } = await user.post('/api/v1/billing/balance/top-ups', { amount: 1_000 })
    await world.emulator.pay(checkoutIdOf(body.checkout_url), 'paid')
    await world.emulator.settled()
  })

  const ask = (act: string, query = USER_QUESTIONS[act] ?? '') =>
    visit.ask(`/console/users/user-1/${act}`, query)

  const audit = async () =>
    (await operatorOf(world, ROLE_KEYS.owner).get('/users/user-1')).body.audit as { act: string }[]

  const send = async (act: string) => {
    const { path, words, fields } = await ask(act)
    const answer = await visit.submit(path, { ...fields, why: 'ticket 4711' })
    return { words, told: await visit.follow(answer) }
  }

  it('grants days, after asking how many and showing the new end, in any language', async () => {
    expect((await ask('grant', '')).words).toContain('Days, 366 at most')
    const support = await enterConsole(world, ROLE_KEYS.support)
    expect(wordsOf((await support.open('/console/users/user-1/grant')).text)).toContain('Days, 30 at most')
    const tooMany = await support.open('/console/users/user-1/grant?days=31')
    expect([tooMany.status, wordsOf(tooMany.text)]).toEqual([422, expect.stringContaining('at most 30.')])
    const { text } = await visit.open(`/console/users/user-1/grant?days=14`)
    const [, link = ''] = /href="([^"]*lang=fr)"/.exec(text) ?? []
    const french = await ask('grant', link.replaceAll('&amp;', '&').replace(/^[^?]*/, ''))
    expect([french.fields.days, french.words.includes('4 janvier 2027')]).toEqual(['14', true])
    await visit.open('/console?lang=en')
    const { words, told } = await send('grant')
    expect(words).toContain('Days to grant 14')
    expect(words).toMatch(/Access Pro until 21 December 2026 at 13:00 Pro until 4 January 2027 at 13:00/)
    expect(told).toContain('Done Days granted, by owner.')
    expect(told).toContain('Pro until 4 January 2027 at 13:00')
  })

  it('records what was paid at the desk by a new reference, after showing what is to be taken', async () => {
    const { words, told } = await send('record')
    for (const part of ['To be taken 2 000 DA', 'BNA 1234567', 'Pro until 21 January 2027 at 13:00'])
      expect(words).toContain(part)
    expect(told).toContain('Done Payment recorded at the desk, by owner.')
    expect(told).toContain('Pro until 21 January 2027')
    const { path, fields } = await ask('record', '?offer=1+pro&method=cheque&reference=BNA+7')
    const other = { new_user: true, plan: 'pro', method: 'cheque', amount: 2000, why: 'x' }
    const owner = operatorOf(world, ROLE_KEYS.owner)
    await owner.post('/users/user-2/record', { ...other, reference: 'bna 7' })
    const late = await visit.follow(await visit.submit(path, { ...fields, why: 'x' }))
    expect(late).toContain('A payment has this number already: search for it above.')
  })

  it('is not done where the user has changed since it was shown, and is done once', async () => {
    const { text } = await visit.open('/console/users/user-1')
    const links = USER_VERBS.map((act) => `href="${world.base}/console/users/user-1/${act}"`)
    expect(links.filter((link) => !text.includes(link))).toEqual([])
    // A user with money is not erased.
    const allowed = USER_VERBS.filter((act) => act !== 'erase')
    const shown = await Promise.all(allowed.map((act) => ask(act)))
    await operatorOf(world, ROLE_KEYS.support).post('/users/user-1/grant', { days: 1, why: 'x' })
    for (const { path, fields } of shown) {
      const again = await visit.submit(path, { ...fields, why: 'x' })
      const told = wordsOf(again.text)
      expect([path, again.status, told]).toEqual([path, 409, expect.stringContaining('Nothing was done yet')])
    }
    expect((await audit()).map((one) => one.act)).toEqual(['user.grant'])
    // Without access most of them are not offered.
    const verbs = [...allowed.filter((act) => act !== 'end'), 'end']
    for (const [index, act] of verbs.entries()) {
      const { path, fields } = await ask(act)
      const answers = [1, 2].map(() => visit.submit(path, { ...fields, why: 'x' }))
      const targets = new Set((await Promise.all(answers)).map(({ headers }) => headers.get('location')))
      expect([act, ...targets]).toEqual([act, expect.stringMatching(/\?done=act_/)])
      expect([act, (await audit()).length]).toEqual([act, index + 2])
    }
  })

  it('needs a reason, a form of this session, and what was shown', async () => {
    const { path, fields } = await ask('record')
    for (const wrong of [{ why: ' ' }, { reference: 'a\nb' }, { reference: '' }]) {
      const [field = '', typed = ''] = Object.entries(wrong)[0] ?? []
      const again = await visit.submit(path, { ...fields, ...{ why: 'x' }, ...wrong })
      expect([typed, again.status]).toEqual([typed, 422])
      expect(again.text).toContain(`aria-describedby="wrong-${field}"`)
    }
    const unsold = await visit.submit(path, { ...fields, why: 'x', offer: '7 pro' })
    expect([unsold.status, wordsOf(unsold.text)]).toEqual([422, expect.stringContaining('Unknown term:')])
    // The price is another one than when it was shown.
    const dearer = await visit.submit(path, { ...fields, why: 'ticket 4711', amount: '1' })
    expect(dearer.status).toBe(422)
    expect(wordsOf(dearer.text)).toContain('Wrong amount:')
    expect(fieldsOfAct(dearer.text)).toMatchObject({ amount: '2000', why: 'ticket 4711' })
    expect((await visit.submit(path, { ...fields, why: 'x', form_token: 'x' })).status).toBe(403)
    expect(await audit()).toEqual([])
    expect((await visit.submit(path, fieldsOfAct(dearer.text))).status).toBe(303)
    expect(await audit()).toHaveLength(1)
  })

  it('grants days of the plan that is chosen, to a user who never had one, of several', async () => {
    expect((await visit.open('/console/users/user-1/grant')).text).not.toContain('<select')
    await restart({ env: { PLANS_FILE } })
    visit = await enterConsole(world, ROLE_KEYS.owner)
    await setProfile(world, 'user-2', { email: 'amina@example.dz' })
    const path = '/console/users/user-2/grant'
    const { text } = await visit.open(path)
    expect([...text.matchAll(/<option value="(\w+)"/g)].map(([, plan]) => plan)).toEqual(['pro', 'team'])
    const shown = await visit.open(`${path}?days=14&plan=team`)
    expect(wordsOf(shown.text)).toMatch(/Access Free Team until 5 December 2026/)
    expect((await visit.open(`${path}?days=14&plan=free`)).status).toBe(422)
    const answer = await visit.submit(path, { ...fieldsOfAct(shown.text), why: 'x' })
    expect(await visit.follow(answer)).toContain('Team until 5 December 2026')
    // Who has a plan gets days of it.
    expect((await visit.open(path)).text).not.toContain('<select')
    expect((await visit.open('/console/users/user-1/grant')).text).not.toContain('<select')
  })
})
