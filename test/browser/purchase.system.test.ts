// A purchase in Arabic on a phone, and one whose webhook never comes.
import { expect, it } from 'vitest'
import { sayIn } from '../../packages/ishtirak/src/i18n/messages.js'
import { choose, describeWorldInBrowser, enter } from '../support/browser-world.js'
import { BUY_BUTTON, buyInBrowser } from './purchase.js'

describeWorldInBrowser('a purchase', {}, ({ visit, world }) => {
  it('in Arabic on a phone', async () => {
    await buyInBrowser(world(), await visit({ width: 360 }), 'ar')
  })

  it('whose webhook never comes is found by the page itself, without JavaScript', async () => {
    const visitor = await visit({ width: 360, javaScript: false })
    const { page } = visitor
    const say = sayIn('en')
    await enter(world(), visitor)
    await choose(visitor, 'en')
    world().emulator.setFaults({ drop: { times: 1 }, processing: { times: 1, seconds: 5 } })
    await page.click(BUY_BUTTON)
    await page.click('button[value="paid"]')
    await page.waitForURL(/\/portal\/return\//)
    // The redirect says success; the bank has not answered yet, so neither do we.
    expect(await page.textContent('h1')).toBe(say('return_pending_title'))
    await world().emulator.advance(12)
    // The page reloads by itself, and the request to the provider books the payment.
    await page.waitForURL(/look=\d/)
    await page.getByRole('heading', { name: say('return_paid_title') }).waitFor()
  })
})
