import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/setting-files.js'
import { createWorld } from '../../../../test/support/world.js'
import { CAPABILITIES } from '../main/capabilities.js'

/** Without its head, which has the sheet of all pages. */
const bodyOf = (html: string) => html.replace(/^.*<\/head>/s, '')
const TRACE = /transfer|(?<!<\/?)\bcode\b/i
const FORMS = ['/portal/transfer', '/portal/payments/pay_1/proof', '/portal/code', '/portal/redeem']

describeScenario('the portal', ({ database }) => {
  it('without transfers and codes has no trace of them and no route', async () => {
    const env = { TRANSFER_FILE }
    await using whole = await createWorld(database(), { env })
    const there = await enterPortal(whole, 'user-1')
    expect(bodyOf((await there.open()).text)).toMatch(TRACE)
    const capabilities = CAPABILITIES.filter(({ name }) => name !== 'transfers' && name !== 'codes')
    await using world = await createWorld(database(), { env, capabilities })
    const portal = await enterPortal(world, 'user-1')
    const before = await portal.open()
    expect(wordsOf(before.text)).toContain('EDAHABIA or CIB card')
    // An operator looks on as well.
    const looked = await (await enterConsole(world, ROLE_KEYS.owner)).open('/console/users/user-1/portal')
    const { paymentId } = await world.as('user-1').buy()
    const pages = [before, looked, await portal.open(), await portal.open(`/portal/return/${paymentId}`)]
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const { text } of pages) expect(bodyOf(text)).not.toMatch(TRACE)
    for (const form of FORMS) {
      expect((await there.submit(form, {})).status).not.toBe(404)
      expect((await portal.submit(form, {})).status).toBe(404)
    }
  })
})
