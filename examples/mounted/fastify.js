// Ishtirak as a plugin of a platform's Fastify, under /billing.
import fastify from 'fastify'
import { createBilling, userOf } from './billing.js'

export async function start({ port, ...settings }) {
  const ishtirak = await createBilling({ url: `http://127.0.0.1:${port}`, ...settings })
  await ishtirak.migrate()

  const app = fastify()
  await app.register(ishtirak.fastify, { prefix: '/billing' })
  app.post('/deploys', async (request, reply) => {
    const { userId } = userOf(request.headers['x-user'])
    const { allowed, remaining } = await ishtirak.billing.consume(userId, 'deploys_per_day', {
      operation_id: request.body.id,
    })
    return reply.code(allowed ? 201 : 429).send({ remaining })
  })

  await ishtirak.start()
  await app.listen({ port })
  // Stops Ishtirak too.
  return () => app.close()
}
