// How a process ends when it is asked to: SIGTERM drains first, SIGINT (Ctrl-C) does not; both finish what was begun.
import cluster from 'node:cluster'
import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../runtime/log.js'

export interface Stoppable {
  /** From now on `/readyz` answers 503; every other request is served as before. */
  drain?(): void
  /** Takes no further work, finishes what was begun. The signal is for those who have processes of their own. */
  stop(signal: NodeJS.Signals): Promise<void>
}

/** Longer than any request takes: a checkout waits 10 s for the provider. */
const FINISH_MS_MAX = 25_000

/** `drainMs`: how long the load balancers have to notice that `/readyz` says no. */
export function stopOnSignals(service: Stoppable, log: Log, drainMs = 0): void {
  let isStopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    // A worker hears a signal twice, from its keeper and from the terminal or supervisor; its keeper decides on its end.
    if (isStopping && cluster.isWorker) return
    if (isStopping) process.exit(1)
    isStopping = true
    end(service, log, { signal, drainMs: signal === 'SIGTERM' ? drainMs : 0 }).then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'the stop failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}

async function end(
  service: Stoppable,
  log: Log,
  { signal, drainMs }: { readonly signal: NodeJS.Signals; readonly drainMs: number },
): Promise<void> {
  if (drainMs > 0 && service.drain) {
    log.info({ signal, drain_ms: drainMs }, 'draining: not ready, still serving')
    service.drain()
    await wait(drainMs)
  }
  log.info({ signal }, 'stopping')
  // A keeper does not drain; it waits for its workers, who do.
  setTimeout(() => process.exit(1), FINISH_MS_MAX + (service.drain ? 0 : drainMs)).unref()
  await service.stop(signal)
}
