// Starts the whole service and stops it gracefully: database, schema, sandbox where there is no key, HTTP, jobs.
import cluster from 'node:cluster'
import path from 'node:path'
import type { Emulator } from 'chargily-emulator'
import { migrate } from '../database/migrate.js'
import { openDatabase } from '../database/open-database.js'
import { systemClock } from '../runtime/clock.js'
import type { Config } from '../runtime/config.js'
import type { Log } from '../runtime/log.js'
import { answerForFigures, type MetricsPort, openMetricsPort } from './metrics-port.js'
import { openSandbox, writeServiceUrl } from './sandbox.js'
import { type Service, type WiredConfig, wire } from './wire.js'

export interface RunningService extends Service {
  /** Where it listens. */
  readonly url: string
  readonly config: WiredConfig
  readonly emulator: Emulator | null
  /** Where Prometheus reads; null: nowhere, or at the process that keeps this one. */
  readonly metricsUrl: string | null
}

/** Resolves when it listens. Throws what stands in the way: a locked data folder, a newer schema, a taken port. */
export async function serve(config: Config, log: Log): Promise<RunningService> {
  const database = await openDatabase({
    ...(config.database.url === undefined ? {} : { url: config.database.url }),
    dataDir: path.join(config.database.dataDir, 'database'),
    log,
    // A full or broken disk: nothing can be promised any more. The supervisor starts the service again.
    onFailure: () => process.exit(1),
  })
  const migrated = await migrate(database)
  if (migrated.applied.length > 0) log.info(migrated, 'schema brought up to date')
  const sandboxed = config.chargily ? null : await openSandbox(config, sandboxFolder(config), log)
  const world = { database, log, clock: sandboxed?.clock ?? systemClock() }
  const wired: WiredConfig = sandboxed?.config ?? requireKeys(config)
  const service = await wire(wired, world)
  const url = await service.app.listen({ host: config.host, port: config.port })
  if (sandboxed) await writeServiceUrl(sandboxFolder(config), url)
  log.info({ url, database: database.kind, sandbox: sandboxed !== null }, 'listening')
  const metricsPort = await openMetrics(config, service, log)
  const stop = async () => {
    await service.stop()
    metricsPort?.close()
    await sandboxed?.emulator.close()
  }
  const emulator = sandboxed?.emulator ?? null
  return { ...service, stop, url, config: wired, emulator, metricsUrl: metricsPort?.url ?? null }
}

/** A worker gives its figures to the process that keeps it: one port, one truth. */
async function openMetrics(config: Config, { metrics }: Service, log: Log): Promise<MetricsPort | null> {
  if (!cluster.isWorker) return openMetricsPort(config, metrics.render, log)
  answerForFigures(metrics)
  return null
}

/** Null: nothing is kept, as with a database in memory. */
export function sandboxFolder(config: Config): string | null {
  return config.database.url === 'memory:' ? null : path.join(config.database.dataDir, 'sandbox')
}

export function requireKeys(config: Config): WiredConfig {
  const { chargily } = config
  if (!chargily) throw new Error('only the sandbox runs without a key of the provider')
  return { ...config, chargily }
}
