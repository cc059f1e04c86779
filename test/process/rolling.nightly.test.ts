// The older version works on after the newer one has migrated, as long as the migration allows it.
import { cp, readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Emulator, startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, PROGRAM, type ServiceProcess, startService } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, tokenOf } from '../support/world.js'
import { buyPro, call, serviceEnv } from './calls.js'

const root = path.resolve(import.meta.dirname, '../..')
const service = path.join(root, 'packages/ishtirak')

const parent = temporaryFolder()
let emulator: Emulator
let env: Record<string, string>
let known: number
const running = new Set<ServiceProcess>()
beforeAll(async () => {
  buildOnce()
  known = (await readdir(path.join(service, 'migrations'))).length
  emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  env = await serviceEnv({ CHARGILY_API_URL: emulator.url })
})
afterAll(async () => {
  await Promise.all([...running].map((service) => service.kill('SIGKILL')))
  await emulator.close()
})

/** This version with further migrations: the next version's program. */
async function nextVersion(name: string, ...migrations: readonly string[]): Promise<string> {
  const folder = path.join(parent, name)
  for (const part of ['dist', 'migrations', 'package.json']) {
    await cp(path.join(service, part), path.join(folder, part), { recursive: true })
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  for (const [index, sql] of migrations.entries()) {
    const number = String(known + index + 1).padStart(4, '0')
    await writeFile(path.join(folder, 'migrations', `${number}_made_up.sql`), sql)
  }
  return path.join(folder, 'dist/main/cli.js')
}

async function start(program: string): Promise<ServiceProcess> {
  const service = await startService({ ...env, PORT: String(await freePort()) }, program)
  running.add(service)
  return service
}

async function end(service: ServiceProcess): Promise<void> {
  running.delete(service)
  expect(await service.kill('SIGTERM')).toBe(0)
}

/** Its look at the database is shared for a second, in which another version may have started. */
async function expectReadiness({ url }: ServiceProcess, status: number, schema: string): Promise<void> {
  await vi.waitFor(async () => {
    const response = await fetch(`${url}/readyz`)
    expect([response.status, (await response.json()).checks.schema]).toEqual([status, schema])
  }, PATIENCE)
}

async function buy(service: ServiceProcess, sub: string) {
  await buyPro(service, emulator, sub)
  return statusOf(service, sub)
}

const statusOf = async (service: ServiceProcess, sub: string) =>
  (await call(service, await tokenOf({ sub }), '/billing/status')).body

it('forward, both at once, back, forward: sells all along; an incompatible schema ends it', async () => {
  const added =
    "alter table payments add column note text not null default ''; create table notes (id integer);"
  const newer = await nextVersion('newer', `-- oldest-code: ${known}\n${added}`)
  const old = await start(PROGRAM)
  await expectReadiness(old, 200, 'ok')
  const next = await start(newer)
  const compatible = `at ${known + 1}, newer and compatible`
  await expectReadiness(old, 200, compatible)
  await expectReadiness(next, 200, 'ok')
  const active = { plan: 'pro', status: 'active' }
  expect(await buy(old, 'user-1')).toMatchObject(active)
  expect(await buy(next, 'user-2')).toMatchObject(active)
  expect(await statusOf(old, 'user-2')).toMatchObject(active)

  // Back: the old program starts on the newer schema, and is alone.
  await Promise.all([end(next), end(old)])
  const back = await start(PROGRAM)
  await expectReadiness(back, 200, compatible)
  expect(await buy(back, 'user-3')).toMatchObject(active)

  const incompatible = 'alter table notes rename to remarks;'
  const breaking = await start(
    await nextVersion('breaking', `-- oldest-code: ${known}\n${added}`, incompatible),
  )
  await expectReadiness(back, 503, `at ${known + 2}, expected ${known}`)
  await end(back)
  await expect(start(PROGRAM)).rejects.toThrow(`code that knows ${known + 2} or later runs on it`)
  for (const user of ['user-1', 'user-2', 'user-3'])
    expect(await statusOf(breaking, user)).toMatchObject(active)
})
