// The documentation that the service gives of itself: the OpenAPI 3.1 document made from the very schemas that check the
// requests, a page to try it on, and the page that every problem's `type` leads to. The operator's part is not public.
import { readFileSync } from 'node:fs'
import { fastifySwagger } from '@fastify/swagger'
import { fastifySwaggerUi } from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { describeWebhooks } from '../events/schemas.js'
import type { CallerChecks, Callers } from '../http/callers.js'
import { errorPage } from '../http/error-page.js'
import { withoutSlash } from '../runtime/http-client.js'
import { operatorPart, publicPart } from './openapi-document.js'

/** Of the package, beside `src` as beside `dist`. */
const { version: VERSION } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** Before the routes: the document holds the routes of the plugins that are registered after it. */
export function installDocumentation(
  app: FastifyInstance,
  options: { readonly publicUrl: string; readonly limitAnonymous?: CallerChecks['limitAnonymous'] },
): void {
  app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ishtirak',
        version: VERSION,
        description: `Billing for a hosting platform. Every error is RFC 9457 problem details; its codes: ${options.publicUrl}/docs/errors`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: options.publicUrl }],
      webhooks: describeWebhooks(),
      components: {
        securitySchemes: {
          user: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'A token of the platform’s user.',
          },
          platform: { type: 'http', scheme: 'bearer', description: 'One of PLATFORM_API_KEYS.' },
          operator: { type: 'http', scheme: 'bearer', description: 'One of OPERATOR_KEYS.' },
          signature: {
            type: 'apiKey',
            in: 'header',
            name: 'signature',
            description: 'HMAC-SHA256 of the body, hex.',
          },
        },
      },
    },
    refResolver: {
      buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema-${index}`),
    },
  })
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    options.limitAnonymous?.(request, reply)
    done()
  }
  // Made once: no route is added after the start.
  let made: object | undefined
  const publicDocument = () => {
    made ??= publicPart(app.swagger())
    return made
  }
  const hidden = { schema: { hide: true }, onRequest }
  app.register(fastifySwaggerUi, {
    uiHooks: { onRequest },
    routePrefix: '/docs',
    indexPrefix: withoutSlash(new URL(options.publicUrl).pathname),
    staticCSP: true,
    logLevel: 'warn',
    transformSpecification: publicDocument,
    transformSpecificationClone: false,
    theme: { title: 'Ishtirak API' },
    uiConfig: { layout: 'BaseLayout' },
  })
  app.get('/openapi.json', hidden, publicDocument)
  app.get('/docs/errors', hidden, (_request, reply) =>
    reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(errorPage()),
  )
}

/** The operators' part of the document, for callers with one of their keys. */
export function operatorDocumentation({ operators }: { readonly operators: Callers<string> }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.addHook('onRequest', operators.onRequest)
    app.get('/openapi-operator.json', { schema: { hide: true } }, () => operatorPart(app.swagger()))
  }
}

/** The page has one style sheet inside and nothing that runs. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
