// One process of HTTP for each core, with a database server behind them. This process serves nothing: it
// migrates once, keeps its workers alive, and passes on the signal to stop.
import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { migrate } from '../database/migrate.js'
import type { Log } from '../runtime/log.js'
import type { Config } from './config.js'
import { collectFigures, openMetricsPort } from './metrics.js'
import { openConfigured, type Stoppable } from './serve.js'

/** Whether this process is the one that keeps the others. */
export function keepsWorkers(config: Config): boolean {
  return config.workers > 1 && cluster.isPrimary
}

/** Resolves when all of them listen. Throws what the database says, or that a worker ended at its start. */
export async function startWorkers(config: Config, log: Log): Promise<Stoppable> {
  await bringUpToDate(config)
  const metricsPort = await openMetricsPort(config, collectFigures(), log)
  const workers = new Set<Worker>()
  let isStopping = false
  const start = async () => {
    const worker = cluster.fork()
    workers.add(worker)
    worker.once('exit', (code, signal) => {
      workers.delete(worker)
      if (!isStopping) log.error({ worker_pid: worker.process.pid, code, signal }, 'a worker ended')
    })
    await listening(worker)
    // Only one that has served is replaced: what cannot start would be started for ever.
    worker.once('exit', () => {
      if (!isStopping) start().catch((error) => giveUp(error, log))
    })
  }
  const stop = async (signal: NodeJS.Signals) => {
    isStopping = true
    await Promise.all([...workers].map((worker) => end(worker, signal)))
    metricsPort?.close()
  }
  try {
    await Promise.all(Array.from({ length: config.workers }, start))
  } catch (error) {
    await stop('SIGINT')
    throw error
  }
  return { stop }
}

async function bringUpToDate(config: Config): Promise<void> {
  const database = await openConfigured(config)
  await migrate(database).finally(() => database.close())
}

async function listening(worker: Worker): Promise<void> {
  const ended = once(worker, 'exit').then(([code, signal]) => {
    throw new Error(`a worker ended at its start (${code ?? signal})`)
  })
  await Promise.race([once(worker, 'listening'), ended])
  // From here on its end is reported by the listeners of `start`.
  ended.catch(() => undefined)
}

/** It drains and finishes what was begun, as the service does when it runs alone. */
async function end(worker: Worker, signal: NodeJS.Signals): Promise<void> {
  const ended = once(worker, 'exit')
  if (worker.isDead()) return
  worker.process.kill(signal)
  await ended
}

/** The supervisor starts everything again. */
function giveUp(error: unknown, log: Log): never {
  log.fatal({ err: error }, 'a worker could not be replaced')
  process.exit(1)
}
