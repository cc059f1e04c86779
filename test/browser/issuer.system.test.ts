// The sign-in of an operator at an issuer on another site, in a browser with its own rules for cookies.
import { movableClock } from '../../packages/ishtirak/src/runtime/clock.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { startIssuer } from '../support/issuer.js'
import { createWorld } from '../support/world.js'

describeWorldInBrowser('the sign-in by an issuer', createWorld, ({ visit, database }) => {
  it('leads from the page that was asked for to the issuer and back to it', async () => {
    await using issuer = await startIssuer()
    // A page of its own is where the way back begins, for the rules of cookies.
    issuer.asks = true
    issuer.account.sub = 'x'.repeat(255)
    await using world = await createWorld(database(), { env: issuer.env, clock: movableClock(Date.now()) })
    await issuer.serve(world.config.publicUrl)
    const { page, complaints } = await visit({ width: 360, javaScript: false, acceptLanguage: 'fr' })
    await page.goto(`${world.url}/console?kind=review`)
    await page.getByRole('link', { name: /^Se connecter avec/ }).click()
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.waitForURL(`${world.url}/console?kind=review`)
    await page.locator('.menu summary').click()
    expect(await page.getByRole('button', { name: 'Se déconnecter' }).isVisible()).toBe(true)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBe(360)
    expect(issuer.asked).toContain('/token')
    expect(complaints).toEqual([])
  })
})
