// The HTTP server: API and payment page once for each mode, the controls once for all.
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { apiRoutes } from './api.js'
import { modePath } from './api-json.js'
import { paymentPageRoutes } from './payment-page-routes.js'
import type { ServerContext } from './routes.js'
import { sandboxRoutes } from './sandbox-routes.js'

export function buildServer(context: ServerContext): FastifyInstance {
  const app = Fastify({
    // A connection that hangs (a fault) must not keep the emulator from closing.
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
    // For paths that are not text, such as /%ff.
    frameworkErrors: (_, __, reply: FastifyReply) => reply.code(400).send({ message: 'Bad Request' }),
  })
  // Bodies stay bytes: they are read as PHP reads them (laravel.ts), whatever their type says.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ message: 'Not Found.' }))
  for (const livemode of [false, true]) {
    const prefix = modePath(livemode)
    app.register(apiRoutes({ ...context, livemode }), { prefix: `${prefix}/api/v2` })
    app.register(paymentPageRoutes({ ...context, livemode }), { prefix })
  }
  app.get('/', (_, reply) => reply.redirect('/_sandbox'))
  app.register(sandboxRoutes(context), { prefix: '/_sandbox' })
  return app
}
