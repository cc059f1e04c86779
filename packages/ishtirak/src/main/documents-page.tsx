// The page at /docs: Swagger UI, of which the build has copied two files into this folder; the sources take
// them from its package. Nothing comes from elsewhere. In the sandbox a token and a key are filled in.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { isThisMachine } from '../runtime/environment.js'
import { withoutSlash } from '../runtime/http-client.js'

/** The keys that the sandbox fills in on its page, for this machine alone. */
export interface SandboxKeys {
  /** Null: the tokens of users are signed elsewhere. */
  readonly userToken: string | null
  readonly platformKey: string
}

export interface DocumentsPageOptions {
  readonly publicUrl: string
  /** Set only in the sandbox. */
  readonly sandboxKeys?: (() => Promise<SandboxKeys>) | undefined
}

const built = fileURLToPath(new URL('swagger-ui', import.meta.url))
const decompress = promisify(brotliDecompress)

async function readAsset(name: string): Promise<Buffer> {
  if (name === START) return readFile(new URL(name, import.meta.url))
  // The build compresses them, which takes 1.3 MB off an installation.
  if (existsSync(built)) return decompress(await readFile(path.join(built, `${name}.br`)))
  const plugin = path.dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui'))
  return readFile(path.join(plugin, 'static', name))
}

const START = 'swagger-ui-start.js'
const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  [START]: 'text/javascript; charset=utf-8',
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
      const keys = sandboxKeys && isOnThisMachine(request, publicUrl) ? await sandboxKeys() : null
      return reply
        .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-store' })
        .type('text/html; charset=utf-8')
        .send(render(publicUrl, keys))
    })
  for (const [name, type] of Object.entries(ASSETS))
    app.get(`/docs/${name}`, route, async (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'public, max-age=3600')
        .send(await readAsset(name)),
    )
}

/** Headers that a proxy adds to a request. */
const BY_PROXY = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/

/**
 * True without a proxy in between, if the page was requested by a name of this machine: a foreign page can
 * make a name of its own lead here.
 */
function isOnThisMachine({ raw, headers }: FastifyRequest, publicUrl: string): boolean {
  const asked = `http://${headers.host}`
  return (
    ['127.0.0.1', '::1', '::ffff:127.0.0.1'].includes(raw.socket.remoteAddress ?? '') &&
    !Object.keys(headers).some((name) => BY_PROXY.test(name)) &&
    [publicUrl, asked].every((url) => URL.canParse(url) && isThisMachine(new URL(url).hostname))
  )
}

/** The keys are in the page: other sites cannot read it, while they could load a script that has them. */
function render(publicUrl: string, keys: SandboxKeys | null): string {
  const base = withoutSlash(publicUrl)
  const address = `${withoutSlash(new URL(publicUrl).pathname)}/docs`
  const filledIn = keys && { user: keys.userToken ?? undefined, platform: keys.platformKey }
  return `<!doctype html>${String(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Ishtirak API</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`${address}/swagger-ui.css`} />
      </head>
      <body>
        <main
          id="document"
          data-url={`${base}/openapi.json`}
          data-keys={JSON.stringify(filledIn ?? {})}
        ></main>
        <script src={`${address}/swagger-ui-bundle.js`}></script>
        <script src={`${address}/swagger-ui-start.js`}></script>
      </body>
    </html>,
  )}`
}
