// Starts the whole service and stops it gracefully: database, schema, sandbox, HTTP, jobs.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../database/database.js'
import { clusterPaths } from '../database/embedded/cluster-folder.js'
import { migrate } from '../database/migrate.js'
import { type DatabaseOptions, openDatabase } from '../database/open-database.js'
import type { Metrics } from '../http/metrics.js'
import { createKeptMail } from '../mail/kept-mail.js'
import { requirePackages } from '../runtime/config-file.js'
import type { Log } from '../runtime/log.js'
import type { Config, WiredConfig } from './config.js'
import { loadDemo, setUpProvider, signToken, writeServiceUrl } from './sandbox.js'
import type { ServiceTracing } from './tracing.js'
import { wire } from './wire.js'

export type StartedService = Awaited<ReturnType<typeof serve>>

/** Resolves when it listens. Throws what stands in the way: a locked folder, a newer schema, a taken port. */
export async function serve(config: Config, log: Log) {
  await requireFreePorts(config)
  const tracing = config.tracesUrl === undefined ? undefined : await openTracing(config.tracesUrl, log)
  // A full or broken disk: nothing can be promised any more. The supervisor starts the service again.
  const database = await openConfigured(config, { log, onFailure: () => process.exit(1) })
  const migrated = await migrate(database)
  if (migrated.applied.length > 0) log.info(migrated, 'schema brought up to date')
  const { config: wired, clock, emulator } = await setUpProvider(config, database, log)
  const sandboxKeys = emulator ? () => keysToTry(wired) : undefined
  const keptMail = emulator && config.smtpUrl === undefined ? createKeptMail() : null
  const mailer = keptMail?.mailer
  const service = await wire(wired, { database, log, clock, tracing, sandboxKeys, mailer })
  if (keptMail) await service.app.register(keptMail.route)
  const demo = emulator && (await loadDemo())
  if (demo) await service.app.register(demo.demoRoute({ config: wired, clock, emulator, service }))
  await service.start()
  const url = await service.app.listen({ host: config.host, port: config.port })
  if (emulator) await writeServiceUrl(config, url)
  log.info({ url, database: database.kind, sandbox: emulator !== null }, 'listening')
  const metricsPort = await openMetricsPort(config, service.metrics, log)
  const stop = async () => {
    await service.stop()
    metricsPort?.close()
    await emulator?.close()
  }
  return { ...service, stop, url, config: wired, emulator, metricsUrl: metricsPort?.url ?? null }
}

/** Before a folder or a secret is made. Throws as `listen` does, also if two of our ports are equal. */
async function requireFreePorts({ host, port, sandbox, metrics }: Config): Promise<void> {
  const ours = [
    { host, port },
    ...(sandbox ? [{ host, port: sandbox.port }] : []),
    ...(metrics ? [metrics] : []),
  ]
  const servers: Server[] = []
  try {
    for (const address of ours) {
      const server = createServer().listen(address)
      servers.push(server)
      await once(server, 'listening')
    }
  } finally {
    for (const server of servers) server.close()
  }
}

/** The public port does not show metrics to users. Null: METRICS_PORT is not set. */
async function openMetricsPort({ metrics }: Config, { render }: Metrics, log: Log) {
  if (!metrics) return null
  const { host, port } = metrics
  const server = createHttpServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    render().then(
      ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
      (error) => {
        log.error({ err: error }, 'the metrics cannot be read')
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, host)
  await once(server, 'listening')
  // An address of the network, since it listens on a port.
  const { port: opened } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${opened}/metrics`
  log.info({ metrics_url: url }, 'metrics')
  return {
    url,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The page of documents fills them in, by the security scheme. */
async function keysToTry(config: WiredConfig): Promise<Readonly<Record<string, string>>> {
  const user = config.auth.secrets.length > 0 && (await signToken(config, 'user-1'))
  return { ...(user && { user }), platform: config.platformKeys.at(-1) ?? '' }
}

const TRACING_PACKAGES = ['api', 'exporter-trace-otlp-http', 'resources', 'sdk-trace-base']

/** Loads the SDK only where there is a collector. */
async function openTracing(url: string, log: Log): Promise<ServiceTracing> {
  const packages = TRACING_PACKAGES.map((name) => `@opentelemetry/${name}`)
  requirePackages('OTEL_EXPORTER_OTLP_ENDPOINT', packages)
  return (await import('./trace-export.js')).startTracing(url, log)
}

export function openConfigured(
  { database: { dataDir, ...address } }: Config,
  options: Pick<DatabaseOptions, 'log' | 'onFailure' | 'isBare'> = {},
): Promise<Database> {
  return openDatabase({ ...options, ...address, dataDir: databaseFolder(dataDir) })
}

const databaseFolder = (dataDir: string) => path.join(dataDir, 'database')

/** False: `openConfigured` would create it. A server is not asked whether it has the database. */
export function hasDatabase({ database: { url, dataDir } }: Config): boolean {
  return url === undefined ? existsSync(clusterPaths(databaseFolder(dataDir)).cluster) : url !== 'memory:'
}

/** Longer than any request takes: a checkout waits 10 s for the provider. */
const FINISH_MS_MAX = 25_000

/** SIGTERM drains first, SIGINT does not; both finish the work under way. `drainMs`: for load balancers. */
export function stopOnSignals(service: StartedService, log: Log, drainMs = 0): void {
  let isStopping = false
  const stop = async (signal: NodeJS.Signals) => {
    if (isStopping) process.exit(1)
    isStopping = true
    if (signal === 'SIGTERM' && drainMs > 0) {
      log.info({ signal, drain_ms: drainMs }, 'draining: not ready, still serving')
      service.drain()
      await wait(drainMs)
    }
    log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(1), FINISH_MS_MAX).unref()
    await service.stop()
    process.exit(0)
  }
  const onSignal = (signal: NodeJS.Signals) =>
    stop(signal).catch((error) => {
      log.error({ err: error }, 'the stop failed')
      process.exit(1)
    })
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
