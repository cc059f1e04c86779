// Ishtirak in a platform's Express, under /billing. It stands before the parsers of bodies: a signature is over bytes.
import { once } from 'node:events'
import express from 'express'
import { createBilling, userOf } from './billing.js'

export async function start({ port, ...settings }) {
  /** The last event about each user. */
  const lastEvents = new Map()
  const onEvent = (event) => {
    lastEvents.set(event.data.user_id, event)
  }
  const ishtirak = await createBilling({ url: `http://127.0.0.1:${port}`, onEvent, ...settings })
  await ishtirak.migrate()

  const app = express()
  app.use('/billing', ishtirak.listener)
  app.use(express.json())
  app.post('/deploys', async (request, response) => {
    const { userId } = userOf(request.headers['x-user'])
    const { allowed, remaining } = await ishtirak.billing.consume(userId, 'deploys_per_day', {
      operation_id: request.body.id,
    })
    response.status(allowed ? 201 : 429).json({ remaining })
  })

  app.get('/last-event', (request, response) => {
    const { userId } = userOf(request.headers['x-user'])
    response.json({ type: lastEvents.get(userId)?.type ?? null })
  })

  await ishtirak.start()
  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return async () => {
    server.close()
    server.closeIdleConnections()
    await once(server, 'close')
    await ishtirak.stop()
  }
}
