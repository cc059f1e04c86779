// The further ports: the sandbox's emulator, and the metrics for Prometheus.
import { type Contradiction, type Environment, isSandbox } from './environment.js'

export function portContradictions(environment: Environment): readonly Contradiction[] {
  const { PORT: port, METRICS_PORT: chosen, METRICS_HOST: host } = environment
  const metrics = metricsOf(environment)
  const others = [port, ...(isSandbox(environment) ? [sandboxPort(environment)] : [])]
  const isTaken = metrics !== null && metrics.port !== 0 && others.includes(metrics.port)
  return [
    [
      isSandbox(environment) && port !== 0 && sandboxPort(environment) === port,
      'SANDBOX_PORT must differ from PORT',
    ],
    [
      isSandbox(environment) && sandboxPort(environment) > 65_535,
      'SANDBOX_PORT is missing: PORT leaves none after it',
    ],
    [metrics === null && host !== undefined, 'METRICS_HOST is set, METRICS_PORT is not'],
    [
      metrics !== null && metrics.port > 65_535,
      'METRICS_PORT is missing: PORT leaves no second one after it',
    ],
    [isTaken && chosen !== undefined, `METRICS_PORT must differ from PORT${sandboxPortInWords(environment)}`],
    [isTaken && chosen === undefined, 'METRICS_PORT is missing: SANDBOX_PORT is the second port after PORT'],
  ]
}

/** The port after ours, or any free one if ours is any free one. */
export function sandboxPort({ PORT: port, SANDBOX_PORT: sandbox }: Environment): number {
  return sandbox ?? (port === 0 ? 0 : port + 1)
}

function sandboxPortInWords(environment: Environment): string {
  if (!isSandbox(environment)) return ''
  return environment.SANDBOX_PORT === undefined
    ? ' and SANDBOX_PORT, which is PORT + 1 unless it is set'
    : ' and SANDBOX_PORT'
}

/** Null if nothing is set; in the sandbox the second port after ours. */
export function metricsOf(environment: Environment): { readonly host: string; readonly port: number } | null {
  const { PORT: port, METRICS_HOST: host = '127.0.0.1' } = environment
  const besideSandbox = isSandbox(environment) ? (port === 0 ? 0 : port + 2) : undefined
  const chosen = environment.METRICS_PORT ?? besideSandbox
  return chosen === undefined ? null : { host, port: chosen }
}
