import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { fastify } from 'fastify'
import { type MountedApp, mount } from '../../packages/ishtirak/src/http/mount.js'
import type { Config } from '../../packages/ishtirak/src/main/config.js'
import type { Service } from '../../packages/ishtirak/src/main/wire.js'
import type { MountedForm } from './database-kinds.js'

/** Serves under the path of PUBLIC_URL, at the port of `keeper`. The host ends with the service. */
export async function openHost(
  form: MountedForm,
  service: Service,
  { config, keeper }: { readonly config: Config; readonly keeper: NetServer },
): Promise<() => Promise<void>> {
  await service.app.ready()
  const prefix = new URL(config.publicUrl).pathname.replace(/\/$/, '')
  const app = mount(service, config.publicUrl)
  if (form === 'fastify') return fastifyHost(app, prefix, keeper)
  const server = form === 'listener' ? createServer(app.listener) : fetchServer(app)
  // As Fastify has it. Node's 5 s end while a test fills its database: its next call met a cut connection.
  server.keepAliveTimeout = 72_000
  server.listen(keeper)
  return async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeIdleConnections()
    await closed
    await service.stop()
  }
}

async function fastifyHost(app: MountedApp, prefix: string, keeper: NetServer): Promise<() => Promise<void>> {
  const host = fastify()
  await host.register(app.fastify, { prefix })
  await host.ready()
  host.server.listen(keeper)
  return () => host.close()
}

function fetchServer(app: MountedApp): Server {
  const listener = getRequestListener((request, { incoming }) =>
    app.fetch(request, { clientAddress: incoming.socket.remoteAddress ?? '' }),
  )
  return createServer(listener)
}
