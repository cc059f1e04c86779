// The page at /docs: Swagger UI, in the files that scripts/build.mjs made for it, also for the sources.
// Nothing comes from elsewhere. In the sandbox a token and a key are filled in, for this machine alone.
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { isThisMachine } from '../runtime/environment.js'
import { withoutSlash } from '../runtime/http-client.js'

export interface DocumentsPageOptions {
  readonly publicUrl: string
  /** Set only in the sandbox: the keys to fill in, by the security scheme of the document. */
  readonly sandboxKeys?: (() => Promise<Readonly<Record<string, string>>>) | undefined
}

/** Swagger UI sets styles on its elements, and its pictures are inside the style sheet. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function documentsPage(
  app: FastifyInstance,
  route: RouteShorthandOptions,
  { publicUrl, sandboxKeys }: DocumentsPageOptions,
): void {
  for (const address of ['/docs', '/docs/'])
    app.get(address, route, async (request, reply) => {
      const keys = sandboxKeys && isOnThisMachine(request, publicUrl) ? await sandboxKeys() : {}
      reply.headers({ 'content-security-policy': POLICY, 'cache-control': 'no-store' })
      return reply.type('text/html; charset=utf-8').send(render(publicUrl, keys))
    })
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-start.js'])
    app.get(`/docs/${name}`, route, async (_request, reply) => {
      const file = new URL(`../../dist/main/swagger-ui/${name}.br`, import.meta.url)
      reply.type(`text/${name.endsWith('css') ? 'css' : 'javascript'}; charset=utf-8`)
      reply.header('cache-control', 'public, max-age=3600')
      return reply.send(await promisify(brotliDecompress)(await readFile(file)))
    })
}

/** Without a proxy, and by a name of this machine: a foreign page can make a name of its own lead here. */
function isOnThisMachine({ raw, headers }: FastifyRequest, publicUrl: string): boolean {
  return (
    ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(raw.socket.remoteAddress ?? '') &&
    !Object.keys(headers).some((name) => /^(forwarded|via|x-forwarded-.*|x-real-ip)$/.test(name)) &&
    [new URL(publicUrl).hostname, `${headers.host}`.replace(/:\d+$/, '')].every(isThisMachine)
  )
}

/** The keys are in the page: other sites cannot read it, while they could load a script that has them. */
function render(publicUrl: string, keys: object): string {
  const base = withoutSlash(new URL(publicUrl).pathname)
  return `<!doctype html>${String(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Ishtirak API</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`${base}/docs/swagger-ui.css`} />
      </head>
      <body>
        <main id="document" data-url={`${base}/openapi.json`} data-keys={JSON.stringify(keys)}></main>
        <script src={`${base}/docs/swagger-ui-bundle.js`}></script>
        <script src={`${base}/docs/swagger-ui-start.js`}></script>
      </body>
    </html>,
  )}`
}
