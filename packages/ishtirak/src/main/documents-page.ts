// The page that shows the API's document and sends requests: Swagger UI, of which the build has copied two
// files into this folder; the sources take them from its package. Nothing comes from elsewhere.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { FastifyInstance, RouteShorthandOptions } from 'fastify'

const built = path.join(import.meta.dirname, 'swagger-ui')
const folder = () =>
  existsSync(built)
    ? built
    : path.join(path.dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')

/** It sets styles on its elements, and its pictures are inside the style sheet. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** `base`: the path under which the service is reached, as in PUBLIC_URL. */
export function documentsPage(app: FastifyInstance, route: RouteShorthandOptions, base: string): void {
  const page = pageAt(`${base}/docs`)
  for (const address of ['/docs', '/docs/'])
    app.get(address, route, (_request, reply) =>
      reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(page),
    )
  const shown = JSON.stringify({ url: `${base}/openapi.json`, dom_id: '#document', deepLinking: true })
  const script = `SwaggerUIBundle(${shown})\n`
  app.get('/docs/page.js', route, (_request, reply) => reply.type(JAVASCRIPT).send(script))
  for (const [name, type] of Object.entries(FILES))
    app.get(`/docs/${name}`, route, async (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'public, max-age=3600')
        .send(await readFile(path.join(folder(), name))),
    )
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const FILES = { 'swagger-ui.css': 'text/css; charset=utf-8', 'swagger-ui-bundle.js': JAVASCRIPT }

const pageAt = (address: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Ishtirak API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${address}/swagger-ui.css">
  </head>
  <body>
    <div id="document"></div>
    <script src="${address}/swagger-ui-bundle.js"></script>
    <script src="${address}/page.js"></script>
  </body>
</html>
`
