import type { Locale } from '../../packages/ishtirak/src/core/locale.js'
import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { type BrowserTools, describeInBrowser, type Visitor } from './browser.js'
import { freshDatabase } from './databases.js'
import type { World } from './world.js'

interface WorldInBrowser<Stage> extends BrowserTools {
  database(): Database
  world(): Stage
}

/** One world for all tests of `body`, on a database of its own. */
export function describeWorldInBrowser<Stage extends AsyncDisposable = World>(
  name: string,
  open: (database: Database) => Promise<Stage>,
  body: (tools: WorldInBrowser<Stage>) => void,
): void {
  describeInBrowser(name, (tools) => {
    let database: Database
    let world: Stage
    beforeAll(async () => {
      database = await freshDatabase('pglite')
      world = await open(database)
    })
    afterAll(async () => {
      await world[Symbol.asyncDispose]()
      await database.close()
    })
    body({ ...tools, database: () => database, world: () => world })
  })
}

let users = 0

/** Opens the portal as a user who has paid nothing, and gives their id. */
export async function enter(world: World, { page }: Visitor, locale?: Locale): Promise<string> {
  const userId = `visitor-${++users}`
  const answer = await world.as(userId).post('/api/v1/billing/portal-sessions', {})
  await page.goto(answer.body.url)
  expect(new URL(page.url()).pathname).toBe(`${world.base}/portal`)
  // The page offers the languages that it is not in.
  if (locale && (await page.locator('html').getAttribute('lang')) !== locale)
    await page.click(`a[hreflang="${locale}"]`)
  return userId
}
