// The commands beside a running sandbox, typed in another terminal where PORT is not what the sandbox was started with.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { emptyPostgresUrl } from '../support/databases.js'
import { makeEmbeddedFolder } from '../support/embedded-folder.js'
import { freePort } from '../support/free-port.js'
import { buildOnce, runCommand, type ServiceProcess, startService } from '../support/process.js'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

let folder: string
let service: ServiceProcess
let elsewhere: Record<string, string>
beforeAll(async () => {
  buildOnce()
  folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-beside-'))
  await makeEmbeddedFolder(folder)
  const ports = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) }
  service = await startService({ ...ports, DATA_DIR: folder })
  elsewhere = { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()), DATA_DIR: folder }
})
afterAll(async () => {
  await service.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

it('doctor asks the running service, and finds nothing wrong', async () => {
  const { code, output } = await runCommand(['doctor'], { ...elsewhere, DATABASE_URI: 'x' })
  expect(output).toContain(
    `[ ok ] database: embedded, in use by the service at ${service.url}, which is ready`,
  )
  expect(output).toContain('[ ok ] platform API: on')
  expect(output).toContain(
    '[warn] configuration: DATABASE_URI is read by nothing\n       -> perhaps DATABASE_URL is meant',
  )
  expect(output).not.toContain('FAIL')
  expect(code).toBe(0)
})

it('the operator’s commands find the service by its data folder', async () => {
  expect(await runCommand(['payments', 'list'], elsewhere)).toMatchObject({ code: 0 })
})

it('`backup` asks the running service, which has the embedded database to itself, and restores elsewhere', async () => {
  const file = path.join(folder, 'beside.backup.gz')
  const backup = await runCommand(['backup', file], elsewhere)
  expect(backup).toMatchObject({ code: 0, output: expect.stringContaining('audit: 1') })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const restored = await runCommand(['restore', file], { DATABASE_URL: await emptyPostgresUrl() })
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('audit: 1') })
})

it('a second service on the same data folder is refused, with the owner of the folder and the remedy', async () => {
  const { code, output } = await runCommand(['serve'], elsewhere)
  expect(code).toBe(1)
  expect(output).toContain(`in use by process ${service.pid}`)
  expect(output).toContain('a second service needs a DATA_DIR of its own, not only another PORT')
})
