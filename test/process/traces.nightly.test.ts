// The SDK of OpenTelemetry is loaded only where a collector is named; without it the start says so.
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import path from 'node:path'
import { startCollector } from '../support/collector.js'
import { buildOnce, startService } from '../support/process.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const root = path.resolve(import.meta.dirname, '../..')
const service = path.join(root, 'packages/ishtirak')
const ENV = { DATABASE_URL: 'memory:', PORT: '0' }

const parent = temporaryFolder()
beforeAll(buildOnce)

/** The program with its packages, without those for traces. prom-client needs one of them. */
async function withoutSdk(): Promise<string> {
  const [from, to] = [path.join(root, 'node_modules'), path.join(parent, 'node_modules')]
  await mkdir(path.join(to, '@opentelemetry'), { recursive: true })
  for (const name of await readdir(from))
    if (name !== '@opentelemetry') await symlink(path.join(from, name), path.join(to, name))
  await symlink(path.join(from, '@opentelemetry/api'), path.join(to, '@opentelemetry/api'))
  for (const part of ['dist', 'migrations', 'package.json'])
    await cp(path.join(service, part), path.join(parent, part), { recursive: true })
  return path.join(parent, 'dist/main/cli.js')
}

it('without the SDK the service runs; with a collector named it says what to install', async () => {
  const program = await withoutSdk()
  const running = await startService(ENV, program)
  expect((await fetch(`${running.url}/healthz`)).status).toBe(200)
  expect(await running.kill('SIGTERM')).toBe(0)
  const refused = startService({ ...ENV, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }, program)
  await expect(refused).rejects.toThrow(
    new RegExp(
      `npm install ${['exporter-trace-otlp-http', 'resources', 'sdk-trace-base']
        .map((name) => `@opentelemetry/${name}@\\S+`)
        .join(' ')}`,
    ),
  )
})

it('with the SDK a request arrives at the collector, at the stop at the latest', async () => {
  await using collector = await startCollector()
  const running = await startService({ ...ENV, OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/` })
  await fetch(`${running.url}/api/v1/billing/plans`)
  expect(await running.kill('SIGTERM')).toBe(0)
  expect(collector.spanOf('GET /api/v1/billing/plans')).toMatchObject({ kind: 2 })
  expect(collector.raw.join('')).toContain('"service.name"')
})
