// The portal of a service that lacks a capability: it sells by card, and shows no trace of what is not there.
import { expect, it } from 'vitest'
import { CODE_ENV } from '../../../../test/support/codes.js'
import { enterConsole } from '../../../../test/support/console.js'
import { describeScenario } from '../../../../test/support/databases.js'
import { enterPortal, wordsOf } from '../../../../test/support/portal.js'
import { ROLE_KEYS, ROLES_ENV } from '../../../../test/support/roles.js'
import { TRANSFER_FILE } from '../../../../test/support/transfer-file.js'
import { createWorld } from '../../../../test/support/world.js'
import { CAPABILITIES } from '../main/capabilities.js'

/** What shows it on a page, and the addresses of its forms. */
const TRACES = {
  transfers: { trace: /transfer/i, forms: ['/portal/transfer', '/portal/payments/pay_1/proof'] },
  codes: { trace: /(?<!<\/?)\bcode\b/i, forms: ['/portal/code', '/portal/redeem'] },
}

/** Without its head, which has the sheet of all pages. */
const bodyOf = (html: string) => html.replace(/^.*<\/head>/s, '')

describeScenario('the portal', ({ database }) => {
  const start = (absent?: string) =>
    createWorld(database(), {
      env: { ...ROLES_ENV, ...CODE_ENV, TRANSFER_FILE },
      capabilities: CAPABILITIES.filter(({ name }) => name !== absent),
    })

  it.each(Object.entries(TRACES))('without %s has no trace of it and no route', async (name, of) => {
    const { trace, forms } = of
    await using whole = await start()
    const there = await enterPortal(whole, 'user-1')
    expect(bodyOf((await there.open()).text)).toMatch(trace)
    await using world = await start(name)
    const portal = await enterPortal(world, 'user-1')
    const before = await portal.open()
    expect(wordsOf(before.text)).toContain('EDAHABIA or CIB card')
    // An operator looks on as well.
    const looked = await (await enterConsole(world, ROLE_KEYS.owner)).open('/console/users/user-1/portal')
    const { paymentId } = await world.as('user-1').buy()
    const pages = [before, looked, await portal.open(), await portal.open(`/portal/return/${paymentId}`)]
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    for (const { text } of pages) expect(bodyOf(text)).not.toMatch(trace)
    for (const form of forms) {
      expect((await there.submit(form, {})).status).not.toBe(404)
      expect((await portal.submit(form, {})).status).toBe(404)
    }
  })
})
