// The search of the console: one field on each page.
import { enterConsole } from '../../../../test/support/console.js'
import { describeWorld } from '../../../../test/support/describe-world.js'
import { OPERATOR_KEY, operatorOf } from '../../../../test/support/operator.js'
import { wordsOf } from '../../../../test/support/portal.js'
import { setProfile } from '../../../../test/support/profile.js'

describeWorld('the search of the console', {}, ({ world }) => {
  const find = async (q: string) => {
    const visit = await enterConsole(world, OPERATOR_KEY)
    return visit.open(`/console/search?${new URLSearchParams({ q })}`)
  }

  it('opens the page of an exact hit, and of the only one', async () => {
    const { paymentId } = await world.as('a/b c').buy()
    await setProfile(world, 'a/b c', { email: 'amina@example.dz' })
    const at = `${world.base}/console`
    const { body } = await operatorOf(world).get(`/payments/${paymentId}`)
    for (const [q, to] of [
      [` ${paymentId} `, `${at}/payments/${paymentId}`],
      [body.receipt.number, `${at}/payments/${paymentId}`],
      ['AMINA@example.dz', `${at}/users/a%2Fb%20c`],
      ['a/b c', `${at}/users/a%2Fb%20c`],
      // It is no whole address, and the only one that begins so.
      ['amina@', `${at}/users/a%2Fb%20c`],
    ] as const) {
      const { status, headers } = await find(q)
      expect([q, status, headers.get('location')]).toEqual([q, 303, to])
    }
  })

  it('lists what begins so, and never guesses between two that are exact', async () => {
    const { paymentId } = await world.as('user-1').buy()
    await setProfile(world, 'user-1', { email: 'shared@example.dz', name: 'Amina <i>Kaci' })
    await setProfile(world, 'user-2', { email: 'shared@example.dz', name: 'Amine' })
    const { status, text } = await find('ami')
    expect(status).toBe(200)
    for (const part of ['Amina &lt;i>Kaci', 'Amine', 'href="/console/users/user-1"', 'value="ami"'])
      expect([part, text.replaceAll(world.base, '').includes(part)]).toEqual([part, true])
    expect((await find('shared@example.dz')).status).toBe(200)
    await world.as('user-3').buy()
    const byAmount = await find('000 2026-11-21')
    expect(byAmount.text).toContain(`/console/payments/${paymentId}"`)
    expect(wordsOf(byAmount.text)).toContain('2 000 DA paid')
  })

  it('names payments and users in lists and in the journal; their ids are second', async () => {
    await setProfile(world, 'user-1', { email: 'amina@example.dz', name: 'Amina' })
    const { paymentId } = await world.as('user-1').buy()
    const visit = await enterConsole(world, OPERATOR_KEY)
    const words = async (path: string) => wordsOf((await visit.open(path)).text)
    expect(await words('/console/payments')).toContain(
      `Pro · 1 month ${paymentId} Amina amina@example.dz 2 000 DA`,
    )
    expect(await words('/console/users')).toContain('Amina amina@example.dz · user-1 ')
    expect(await words('/console/months/2026-11/sales')).toMatch(/21 November 2026 Amina 1 680,67/)
    expect(await words('/console/months/2026-10/close')).toMatch(/Close the month October 2026 /)
    expect((await visit.open('/console/payments')).text).toContain('class="leads"')
  })

  it('says what can be searched where nothing is found, asked or readable', async () => {
    for (const q of ['nobody', '', '   ', 'x'.repeat(321), '"><script>']) {
      const { status, text } = await find(q)
      expect([q, status]).toEqual([q, 200])
      expect(wordsOf(text)).toContain('A receipt’s number, such as 2026-000042')
      expect(wordsOf(text).includes('Nothing found')).toBe(q.trim() !== '')
      expect(text).not.toContain('"><script')
    }
  })
})
