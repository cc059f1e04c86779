// The page at /docs: what the service is, its three first calls to send with one click, and below them the
// reference: Swagger UI, of which the build has copied two files into this folder; the sources take them from
// its package. Nothing comes from elsewhere.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import type { FastifyInstance, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Catalogue } from '../core/plan.js'
import { isWithinReach, withoutSlash } from '../runtime/http-client.js'

/** What the sandbox gives away on its page, to this machine alone. */
export interface SandboxKeys {
  readonly userId: string
  /** Null: the tokens of users are signed elsewhere. */
  readonly userToken: string | null
  readonly platformKey: string
}

export interface DocumentsPageOptions {
  readonly publicUrl: string
  readonly plans: Catalogue
  /** Of the sandbox. */
  readonly sandboxKeys?: (() => Promise<SandboxKeys>) | undefined
}

const built = fileURLToPath(new URL('swagger-ui', import.meta.url))
const decompress = promisify(brotliDecompress)
/** The build compresses it, which takes 1.3 MB off an installation. */
async function readSwaggerUi(name: string): Promise<Buffer> {
  if (existsSync(built)) return decompress(await readFile(path.join(built, `${name}.br`)))
  const plugin = path.dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui'))
  return readFile(path.join(plugin, 'static', name))
}

/** Swagger UI sets styles on its elements, and its pictures are inside the style sheet. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function documentsPage(
  app: FastifyInstance,
  route: RouteShorthandOptions,
  { publicUrl, plans, sandboxKeys }: DocumentsPageOptions,
): void {
  const calls = callsOf(plans)
  for (const address of ['/docs', '/docs/'])
    app.get(address, route, async (request, reply) => {
      const keys = sandboxKeys && isOnThisMachine(request, publicUrl) ? await sandboxKeys() : null
      return reply
        .header('content-security-policy', POLICY)
        .header('cache-control', 'no-store')
        .type('text/html; charset=utf-8')
        .send(render(publicUrl, calls, keys))
    })
  for (const [name, { type, read }] of Object.entries(FILES))
    app.get(`/docs/${name}`, route, async (_request, reply) =>
      reply
        .type(type)
        .header('cache-control', 'public, max-age=3600')
        .send(await read(name)),
    )
}

const JAVASCRIPT = 'text/javascript; charset=utf-8'
const CSS = 'text/css; charset=utf-8'
const readOwn = (name: string) => readFile(new URL(name, import.meta.url))
const FILES = {
  'swagger-ui.css': { type: CSS, read: readSwaggerUi },
  'swagger-ui-bundle.js': { type: JAVASCRIPT, read: readSwaggerUi },
  'try-it.css': { type: CSS, read: readOwn },
  'try-it.js': { type: JAVASCRIPT, read: readOwn },
}

/** What a proxy adds to a request. */
const BY_PROXY = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']

/**
 * Nobody stands in between, and the page was asked for by a name of this machine: a page of a stranger can
 * make a name of its own lead here.
 */
function isOnThisMachine({ raw, headers }: FastifyRequest, publicUrl: string): boolean {
  const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : '')
  const names = [hostOf(publicUrl), hostOf(`http://${headers.host}`)]
  const address = (raw.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const isForwarded = Object.keys(headers).some((name) => BY_PROXY.test(name))
  const isHere = isWithinReach(address, 'loopback') && !isWithinReach(address, 'public')
  return isHere && !isForwarded && names.every((name) => LOOPBACK_NAMES.includes(name))
}

interface Call {
  readonly title: string
  readonly text: string
  readonly method: 'GET' | 'POST'
  /** `{user}` is the id of the user that is typed. */
  readonly path: string
  readonly auth: 'token' | 'key'
  /** `{operation}` is another id for each click. */
  readonly body?: object
}

/** The first ones of a platform, as far as something is sold and something limited. */
function callsOf({ plans, limits }: Catalogue): readonly Call[] {
  const plan = plans.find(({ price }) => price > 0)
  const limit = limitToTry(limits)
  const calls: Call[] = [
    {
      title: 'What may this user use?',
      text: 'The plan and its paid time, as of this instant.',
      method: 'GET',
      path: '/api/v1/billing/status',
      auth: 'token',
    },
  ]
  if (plan)
    calls.push({
      title: 'Sell a month',
      text: 'Gives the address of the payment page. Pay there, then ask for the status again.',
      method: 'POST',
      path: '/api/v1/billing/upgrade',
      auth: 'token',
      body: { plan: plan.id },
    })
  if (limit !== undefined)
    calls.push({
      title: 'May this user do one more?',
      text: 'Checks the limit and counts, in one call; the same operation_id again counts once.',
      method: 'POST',
      path: `/api/v1/platform/users/{user}/limits/${limit}/consume`,
      auth: 'key',
      body: { operation_id: '{operation}' },
    })
  return calls
}

/** A counter, where there is one. */
export function limitToTry(limits: Catalogue['limits']): string | undefined {
  return (limits.find(({ window }) => window) ?? limits[0])?.name
}

function render(publicUrl: string, calls: readonly Call[], keys: SandboxKeys | null): string {
  const base = withoutSlash(publicUrl)
  const address = `${withoutSlash(new URL(publicUrl).pathname)}/docs`
  return `<!doctype html>${String(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Ishtirak API</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={`${address}/swagger-ui.css`} />
        <link rel="stylesheet" href={`${address}/try-it.css`} />
      </head>
      <body>
        <main data-base={base}>
          <h1>Ishtirak API</h1>
          <p>
            Prepaid subscriptions for a hosting platform: users buy a month by card, transfer or in cash; the
            platform asks what each may use. <a href="#reference">Reference</a> ·{' '}
            <a href={`${address}/errors`}>Error codes</a> ·{' '}
            <a href={`${base}/openapi.json`}>OpenAPI document</a>
          </p>
          <section aria-labelledby="try">
            <h2 id="try">Try it</h2>
            <p class="note">
              {keys
                ? 'This is the sandbox: no real card, no money. Its token and key are filled in.'
                : 'Paste a token or a key. They stay in this page and are forgotten with it.'}
            </p>
            <div class="fields">
              <Field name="token" label="A user’s token" value={keys?.userToken} />
              <Field name="key" label="The platform’s key" value={keys?.platformKey} />
              <Field name="user" label="The user’s id" value={keys?.userId ?? 'user-1'} />
            </div>
            {calls.map((call) => (
              <Trial call={call} />
            ))}
          </section>
          <section aria-labelledby="reference">
            <h2 id="reference">Reference</h2>
            <div id="document" data-url={`${base}/openapi.json`}></div>
          </section>
        </main>
        <script src={`${address}/swagger-ui-bundle.js`}></script>
        <script src={`${address}/try-it.js`}></script>
      </body>
    </html>,
  )}`
}

function Field({ name, label, value }: { name: string; label: string; value?: string | null | undefined }) {
  return (
    <label>
      <span safe>{label}</span>
      <input id={name} value={value ?? ''} autocomplete="off" spellcheck="false" />
    </label>
  )
}

function Trial({ call }: { call: Call }) {
  const { title, text, method, path: where, auth, body } = call
  return (
    <article data-method={method} data-path={where} data-auth={auth} data-body={body && JSON.stringify(body)}>
      <h3 safe>{title}</h3>
      <p safe>{text}</p>
      <p>
        <code safe>{`${method} ${where}`}</code>
      </p>
      <pre class="curl"></pre>
      <button type="button" safe>{`Send ${method} ${where.split('/').at(-1)}`}</button>
      <div class="answer" role="status"></div>
    </article>
  )
}
