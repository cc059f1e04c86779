// Starts the whole service and stops it gracefully: database, schema, sandbox where there is no key, HTTP, jobs.
import cluster from 'node:cluster'
import path from 'node:path'
import type { Emulator } from 'chargily-emulator'
import type { Database } from '../database/database.js'
import { migrate } from '../database/migrate.js'
import { type DatabaseOptions, openDatabase } from '../database/open-database.js'
import type { Config } from '../runtime/config.js'
import type { Log } from '../runtime/log.js'
import { answerForFigures, type MetricsPort, openMetricsPort } from './metrics-port.js'
import { setUpProvider, writeServiceUrl } from './sandbox.js'
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
  // A full or broken disk: nothing can be promised any more. The supervisor starts the service again.
  const database = await openConfigured(config, { log, onFailure: () => process.exit(1) })
  const migrated = await migrate(database)
  if (migrated.applied.length > 0) log.info(migrated, 'schema brought up to date')
  const { config: wired, clock, emulator } = await setUpProvider(config, log)
  const service = await wire(wired, { database, log, clock })
  const url = await service.app.listen({ host: config.host, port: config.port })
  if (emulator) await writeServiceUrl(config, url)
  log.info({ url, database: database.kind, sandbox: emulator !== null }, 'listening')
  const metricsPort = await openMetrics(config, service, log)
  const stop = async () => {
    await service.stop()
    metricsPort?.close()
    await emulator?.close()
  }
  return { ...service, stop, url, config: wired, emulator, metricsUrl: metricsPort?.url ?? null }
}

/** The database of the configuration, for the service and for commands. */
export function openConfigured(
  { database: { url, dataDir } }: Config,
  options: Pick<DatabaseOptions, 'log' | 'onFailure'> = {},
): Promise<Database> {
  const address = url === undefined ? {} : { url }
  return openDatabase({ ...options, ...address, dataDir: path.join(dataDir, 'database') })
}

/** A worker gives its figures to the process that keeps it: one port, one truth. */
async function openMetrics(config: Config, { metrics }: Service, log: Log): Promise<MetricsPort | null> {
  if (!cluster.isWorker) return openMetricsPort(config, metrics.render, log)
  answerForFigures(metrics)
  return null
}
