// The counter, page by page: a customer is found or made, and the receipt opens after the act.
import { type ConsoleVisit, enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { operatorOf } from '../../../../test/support/operator.js'
import { setProfile } from '../../../../test/support/profile.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { callBy, doAct } from '../acts/act-routes.js'
import { createTurns } from '../runtime/async.js'
import { recordPayment } from './record-payment.js'

describeWorld('the counter', { withoutJobs: true }, ({ world }) => {
  let visit: ConsoleVisit
  beforeEach(async () => {
    visit = await enterConsole(world, ROLE_KEYS.cashier)
  })

  const find = (typed: string) => visit.open(`/console/counter?${new URLSearchParams({ q: typed })}`)
  const formIn = (html: string, changes: Record<string, string> = {}) => {
    const [, path = '', form = ''] =
      /<form method="get" action="([^"]*\/record)"[^>]*>(.*?)<\/form>/s.exec(html) ?? []
    const inputs = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map((one) => one.slice(1, 3))
    const chosen = [...form.matchAll(/<select [^>]*name="(\w+)"[^>]*>(.*?)<\/select>/gs)].map(
      ([, name = '', options = '']) => [
        name,
        (/value="([^"]*)" selected/.exec(options) ?? /value="([^"]*)"/.exec(options))?.[1] ?? '',
      ],
    )
    const fields = { ...Object.fromEntries([...inputs, ...chosen]), ...changes }
    return { path: path.slice(world.base.length), query: `?${new URLSearchParams(fields)}`, fields }
  }
  const take = async (html: string, changes: Record<string, string>) => {
    const { path, query } = formIn(html, changes)
    const asked = await visit.ask(path, query)
    return { ...asked, sent: await visit.submit(path, asked.fields) }
  }
  const userOf = async (query: string) =>
    (await operatorOf(world, ROLE_KEYS.owner).get(`/search?q=${encodeURIComponent(query)}`)).body.users

  it('takes the payment of a known customer for their own plan, and opens the receipt', async () => {
    await world.as('user-1').buy()
    await setProfile(world, 'user-1', { name: 'Amina Kaci', email: 'amina@example.dz' })
    await setProfile(world, 'user-2', { name: 'Amina Kadri' })
    const several = (await find('amina')).text
    expect(several).toContain('/console/counter/user-1')
    expect(several).toContain('/console/counter/user-2')
    const { text } = await find('amina@example.dz')
    expect(formIn(text).fields).toMatchObject({ offer: '1 pro', method: 'cash', reference: '' })
    const { words, sent, fields, path } = await take(text, { reference: '2026/0042' })
    for (const part of ['Duration 1 month', 'Paid with Cash', 'To be taken 2 020 DA'])
      expect(words).toContain(part)
    expect(fields).toMatchObject({ why: 'Paid at the desk', amount: '2020' })
    const again = await visit.submit(path, fields)
    expect(again.headers.get('location')).toBe(sent.headers.get('location'))
    const after = (sent.headers.get('location') ?? '').slice(world.base.length)
    const page = (await visit.open(after)).text
    expect(after).toMatch(/^\/console\/counter\/user-1\?done=/)
    const [, receipt = ''] = /href="([^"]*\/receipt\?form=80mm)" target="_blank"/.exec(page) ?? []
    expect((await visit.open(receipt.slice(world.base.length))).headers.get('content-type')).toBe(
      'application/pdf',
    )
    const slip = await take((await find('user-1')).text, { reference: '2026/0042' })
    expect([slip.status, slip.words]).toEqual([409, expect.stringContaining('has this number already')])
  })

  it('makes a customer with name and telephone, who is then found, and never doubled', async () => {
    const { text } = await find('0555 12 34 56')
    expect(formIn(text).fields).toMatchObject({ phone: '+213555123456', name: '' })
    // A second operator has the same page open.
    const other = (await find('٠٥٥٥١٢٣٤٥٦')).text
    const wrong = await take(text, { name: 'Samir', phone: '12', reference: '7' })
    // The form is shown again with what was typed.
    expect([wrong.status, wrong.words.includes('Telephone')]).toEqual([422, true])
    expect(await userOf('0555123456')).toEqual([])
    const wanted = { name: '<b>Samir', phone: '0555-123456' }
    const secondForm = await take(other, { ...wanted, reference: '8' })
    const [user] = await userOf('0555123456')
    expect(user).toMatchObject({ user_id: expect.stringMatching(/^walk-in_/), name: '<b>Samir', exact: true })
    const late = formIn(text, { ...wanted, reference: '9' })
    const refused = await visit.open(late.path + late.query)
    const shown = refused.text.replaceAll(/value="[^"]*"/g, '')
    expect([refused.status, shown.includes('<b>Samir')]).toEqual([409, false])
    await visit.submit(secondForm.path, secondForm.fields)
    const users = await userOf('+213555123456')
    expect(users).toHaveLength(1)
    const known = (await find('00213555123456')).text
    expect(formIn(known).path).toBe(`/console/users/${users[0].user_id}/record`)
    const owner = operatorOf(world, ROLE_KEYS.owner)
    expect((await owner.get(`/users/${users[0].user_id}`)).body).toMatchObject({ phone: '+213555123456' })
    expect((await owner.get('/payments')).body.data).toHaveLength(1)
  })

  it('is made once by several processes at once', async () => {
    // Each process has its own queue for a user's turns.
    const by = { name: 'cashier', role: 'cashier' }
    const sale = { new_user: true, phone: '0555123456', plan: 'pro', method: 'cash', amount: 2020 }
    const send = (n: number) => {
      const input = { ...sale, name: `Samir ${n}`, reference: `${n}`, why: 'paid at the desk' }
      const parts = { ...world.service.parts, inTurn: createTurns() }
      return doAct(parts, recordPayment, callBy(by, `new-${n}`, input)).then(
        () => 'made',
        (error: unknown) => Object(error).extra,
      )
    }
    const outcomes = await Promise.all([1, 2, 3].map(send))
    const [user, ...others] = await userOf('0555123456')
    expect(others).toEqual([])
    const refused = { phone_of: user.user_id }
    expect(outcomes.filter((outcome) => outcome !== 'made')).toEqual([refused, refused])
    expect((await operatorOf(world, ROLE_KEYS.owner).get('/payments')).body.data).toHaveLength(1)
  })
})
