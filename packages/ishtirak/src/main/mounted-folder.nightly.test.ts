import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { CHARGILY_KEY } from '../../../../test/support/world.js'
import { createIshtirak, type Ishtirak } from './create-ishtirak.js'

async function make(folder: string): Promise<Ishtirak> {
  const ishtirak = await createIshtirak({
    database: { folder },
    schema: 'billing',
    identify: () => null,
    log: () => {},
    config: { PUBLIC_URL: 'http://platform.localhost/billing', CHARGILY_SECRET_KEY: CHARGILY_KEY },
  })
  onTestFinished(() => ishtirak.stop())
  return ishtirak
}

it('mounted, it keeps an embedded database in a folder, in its schema, for the next start', async () => {
  const folder = temporaryFolder()
  const first = await make(folder)
  await first.migrate()
  await first.start()
  expect(await first.billing.consume('amine', 'projects', { operation_id: 'p' })).toMatchObject({ used: 1 })
  await first.stop()
  const next = await make(folder)
  expect(await next.migrate()).toMatchObject({ applied: [] })
  expect(await next.billing.user('amine')).toMatchObject({ usage: { projects: 1 } })
})
