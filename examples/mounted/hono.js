// Ishtirak in a platform's Hono, under /billing.
import { once } from 'node:events'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { createBilling, userOf } from './billing.js'

export async function start({ port, ...settings }) {
  const ishtirak = await createBilling({ url: `http://127.0.0.1:${port}`, ...settings })
  await ishtirak.migrate()

  const app = new Hono()
  app.all('/billing/*', (context) =>
    ishtirak.fetch(context.req.raw, { clientAddress: context.env.incoming.socket.remoteAddress }),
  )
  app.post('/deploys', async (context) => {
    const { userId } = userOf(context.req.header('x-user'))
    const { id } = await context.req.json()
    const { allowed, remaining } = await ishtirak.billing.consume(userId, 'deploys_per_day', {
      operation_id: id,
    })
    return context.json({ remaining }, allowed ? 201 : 429)
  })

  await ishtirak.start()
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' })
  await once(server, 'listening')
  return async () => {
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
    await ishtirak.stop()
  }
}
