// The HTTP server with everything mounted: API and page once for each mode, the sandbox once for all.
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { apiRoutes } from './api.js'
import { modePath } from './api-json.js'
import { frontPage } from './front-page.js'
import { pageRoutes } from './payment-page-routes.js'
import { type SandboxContext, sandboxRoutes } from './sandbox-routes.js'

export function buildServer(context: SandboxContext): FastifyInstance {
  const app = Fastify({
    // A hung connection (a fault) must not keep the emulator from closing.
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true },
    // A path that is no text at all, such as /%ff.
    frameworkErrors: (_, __, reply: FastifyReply) => reply.code(400).send({ message: 'Bad Request' }),
  })
  // Bodies stay bytes: PHP reads them in its own way (laravel-input.ts), whatever they call themselves.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => done(null, body))
  app.setNotFoundHandler((_, reply) => reply.code(404).send({ message: 'Not Found.' }))
  for (const livemode of [false, true]) {
    const scope = { ...context, livemode }
    app.register(apiRoutes(scope), { prefix: `${modePath(livemode)}/api/v2` })
    app.register(pageRoutes(scope), { prefix: modePath(livemode) })
  }
  app.register(frontPage(context.desk))
  app.register(sandboxRoutes(context), { prefix: '/_sandbox' })
  return app
}
