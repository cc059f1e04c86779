// The port on which Prometheus reads all metrics. Users of the public port do not see them.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Metrics } from '../http/metrics.js'
import type { Log } from '../runtime/log.js'
import type { Config } from './config.js'

/** Opens the port for Prometheus; null: METRICS_PORT is not set. Throws as `listen` does. */
export async function openMetricsPort(config: Config, { render }: Pick<Metrics, 'render'>, log: Log) {
  if (!config.metrics) return null
  const { host, port } = config.metrics
  const server = createServer((request, response) => {
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
