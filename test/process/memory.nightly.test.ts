import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { startService } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { tokenOf } from '../support/world.js'
import { call, residentMb, serviceEnv } from './calls.js'

/** Each further thread of V8 keeps memory of its own: so it rests at 220 MB, with four at 235 to 258. */
const ONE_THREAD = '--v8-pool-size=1'
/** `npm start` alone has this: a young generation of the usual size is 17 MB more at rest. */
const SMALL_YOUNG_GENERATION = '--max-semi-space-size=8'

const rootFile = (name: string) => readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8')

it('package, container and unit start the service with one thread of V8 beside its own', () => {
  for (const file of ['package.json', 'deploy/Containerfile', 'deploy/ishtirak.service'])
    expect(rootFile(file)).toContain(ONE_THREAD)
  expect(rootFile('package.json')).toContain(`${ONE_THREAD} ${SMALL_YOUNG_GENERATION}`)
})

it('with the embedded database it first starts below 350 MB, then rests below 250 MB', async () => {
  const folder = temporaryFolder()
  const start = async () =>
    startService({
      ...{ PORT: '0', SANDBOX_PORT: '0', METRICS_PORT: '0', DATA_DIR: folder },
      NODE_OPTIONS: `${ONE_THREAD} ${SMALL_YOUNG_GENERATION}`,
    })
  const first = await start()
  expect(residentMb(first.pid, 'VmHWM')).toBeLessThan(350)
  await first.kill('SIGTERM')
  // Unpacked, not made by initdb, which makes three databases.
  expect(await readdir(path.join(folder, 'database/postgres/base'))).toEqual(['5'])
  const again = await start()
  expect(residentMb(again.pid, 'VmRSS')).toBeLessThan(250)
  await again.kill('SIGTERM')
})

it('under load on a database server it stays below 150 MB, started without an option of node', async () => {
  const service = await startService(await serviceEnv({ RATE_LIMIT_PER_MINUTE: '100000000' }))
  const tokens = await Promise.all(
    Array.from({ length: CALLERS }, (_, index) => tokenOf({ sub: `user-${index}` })),
  )
  let mostMb = 0
  await Promise.all(
    tokens.map(async (token) => {
      for (let turn = 0; turn < TURNS; turn++) {
        for (const path of ['status', 'payments', 'plans'])
          expect((await call(service, token, `/billing/${path}`)).status).toBe(200)
        mostMb = Math.max(mostMb, residentMb(service.pid, 'VmRSS'))
      }
    }),
  )
  await service.kill('SIGTERM')
  expect(mostMb).toBeGreaterThan(50)
  expect(mostMb).toBeLessThan(150)
})

/** Each asks for three things a turn. */
const CALLERS = 64
const TURNS = 40
