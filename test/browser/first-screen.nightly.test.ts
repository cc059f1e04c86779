// What a user of the portal sees first on a phone, and what nothing on a page may say.
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import type { Visitor } from '../support/browser.js'
import { describeWorldInBrowser } from '../support/browser-world.js'
import { operatorOf } from '../support/operator.js'
import { platformFor } from '../support/platform.js'
import { setProfile } from '../support/profile.js'
import { createWorld, type World } from '../support/world.js'

/** The lower edge of the first screen of a small phone: 360 × 640. */
const FOLD = 640
const DAY = 86_400

describeWorldInBrowser('the first screen', openStage, ({ visit, world }) => {
  const open = async (userId: string, locale: string): Promise<Visitor> => {
    const visitor = await visit({ width: 360 })
    await visitor.page.goto((await world().as(userId).post('/api/v1/billing/portal-sessions', {})).body.url)
    await visitor.page.goto(`${world().url}/portal?lang=${locale}`)
    return visitor
  }
  const textOf = async ({ page }: Visitor) =>
    ((await page.locator('main').textContent()) ?? '').replaceAll('\u00a0', ' ')

  describe.each(['ar', 'fr'] as const)('in %s', (locale) => {
    it('shows the way to pay without scrolling, and nothing that could be paid twice', async () => {
      for (const userId of ['never_paid', 'expired', 'canceled', 'past_due', 'renewable']) {
        const { page } = await open(userId, locale)
        const box = await page.locator('.state button.go').boundingBox()
        expect((box?.y ?? FOLD) + (box?.height ?? 0), userId).toBeLessThan(FOLD)
      }
      for (const userId of ['pending', 'review']) {
        const { page } = await open(userId, locale)
        expect([userId, await page.locator('form[action$="/portal/upgrade"]').count()]).toEqual([userId, 0])
      }
    })

    it('has the name of the seller on one line of header, and the name of the product nowhere', async () => {
      const { page } = await open('never_paid', locale)
      const name = { ar: 'مثال للاستضافة', fr: 'Exemple Hébergement' }[locale]
      expect(await page.title()).toContain(name)
      expect(await page.locator('.brand').textContent()).toBe(name)
      expect((await page.locator('header').boundingBox())?.height).toBeLessThan(60)
      expect(await page.content()).not.toMatch(/ishtirak/i)
      for (const href of ['tel:+21300000000', 'mailto:facturation@exemple.example'])
        expect(await page.locator(`footer a[href="${href}"]`).count()).toBe(1)
      expect(await page.locator('footer a[href^="https://exemple.example/"]').count()).toBe(2)
    })
  })

  it('sorts by what matters: offers for users without paid time, else usage and payments', async () => {
    const headings = async (userId: string) =>
      await (await open(userId, 'en')).page.locator('main h2').allTextContents()
    const paid = ['Your usage', 'Your payments']
    const over = 'You are using more than your plan allows'
    expect(await headings('expired')).toEqual(['Free', over, 'Choose your plan', ...paid])
    expect(await headings('renewable')).toEqual(['Pro', ...paid])
    const { page } = await open('never_paid', 'en')
    expect(await page.locator('.plan h3').allTextContents()).toEqual(['Free', 'Pro'])
  })

  it('says in grace until when everything works, counts down to that, and has a badge', async () => {
    // Bought on 25 November, so paid until 25 December; three days of grace; now it is 27 December.
    const badgeOf = async (userId: string) =>
      await (await open(userId, 'en')).page.locator('.state .badge').allTextContents()
    expect([await badgeOf('past_due'), await badgeOf('expired')]).toEqual([['Grace period'], []])
    const text = await textOf(await open('past_due', 'en'))
    expect(text).toMatch(/Everything keeps working until\s*28 December 2026/)
    expect(text).toMatch(/\d+ (hours?|day) left/)
    expect(text).not.toContain('Paid until')
  })

  it('names each exceeded limit, amount and project, and warns before a limit is reached', async () => {
    const visitor = await open('active', 'en')
    expect((await visitor.page.locator('.notice li').allTextContents()).sort()).toEqual([
      'Domains per project (in project api): 6 of 5, over by 1',
      'Domains per project (in project vitrine-2026): 7 of 5, over by 2',
    ])
    const text = await textOf(visitor)
    // 4301 of 5120 MB are 84 %.
    expect(text).toContain('4.2 GB of 5 GB')
    expect(await visitor.page.locator('progress.near').count()).toBe(1)
    expect(await visitor.page.locator('progress.over').count()).toBe(2)
    const expired = await textOf(await open('expired', 'en'))
    expect(expired).toContain('Projects: 7 of 3, over by 4')
    expect(expired).toContain('Storage: 2 048 MB of 500 MB, over by 1 548 MB')
  })

  it('says TTC where a tax applies, in the catalogue and beside the price', async () => {
    const text = await textOf(await open('never_paid', 'fr'))
    expect(text).toMatch(/S’abonner à Pro.*TVA \(19 %\).*Total à payer\s*2 000 DA/s)
    expect(text).toMatch(/2 000 DA\s*TTC par mois/)
  })
})

/** Runs 36 days; at their end each user is in the state of their id. */
async function openStage(database: Database): Promise<World> {
  const world = await createWorld(database)
  await setProfile(world, 'expired', { name: 'Yacine Hadj', email: 'expired@example.dz' })
  await world.as('expired').buy()
  await world.advance(4 * DAY)
  await world.as('past_due').buy()
  await world.advance(6 * DAY)
  await world.as('renewable').buy()
  await world.advance(26 * DAY)
  await world.as('active').buy()
  const { paymentId } = await world.as('canceled').buy()
  await operatorOf(world).post(`/payments/${paymentId}/refund`, { why: 'asked for' })
  const expired = platformFor(world, 'expired')
  await expired.report('projects', { used: 7 })
  await expired.report('storage_mb', { used: 2048 })
  const active = platformFor(world, 'active')
  await active.report('storage_mb', { used: 4301 })
  await active.report('domains_per_project', { used: 7, project_id: 'vitrine-2026' })
  await active.report('domains_per_project', { used: 6, project_id: 'api' })
  await world.advance(31 * 60)
  // After the last look of the sweeps, which would find the right amount in the provider's list.
  world.emulator.setFaults({ wrong_amount: { times: 1 } })
  await world.as('review').buy()
  await world.as('pending').upgrade()
  return world
}
