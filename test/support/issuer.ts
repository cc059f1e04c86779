// An OpenID Connect issuer on this machine. Every caller is `account`.
import { createServer, type RequestListener } from 'node:http'
import { setTimeout as elapse } from 'node:timers/promises'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js'
import { listen } from './listen.js'
import type { Answer, World } from './world.js'

type Broken = { status: number; body: string; location?: string }

export interface TestIssuer extends AsyncDisposable {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** Makes it sign people in to the service at this address. */
  serve(publicUrl: string): Promise<void>
  account: { sub: string; [claim: string]: unknown }
  claimsIn: 'id_token' | 'userinfo'
  /** Whether it shows a page with a button, as for people. */
  asks: boolean
  slowMs: number
  /** Answers of paths, in place of the provider's: status and body. */
  readonly broken: Map<string, Broken>
  readonly asked: string[]
}

const CLIENT = { client_id: 'ishtirak', client_secret: 'a secret of the tests that is long enough' }

/** Answers 503 until it `serves`. */
export async function startIssuer(roleClaim = 'groups'): Promise<TestIssuer> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end()
  const server = createServer(async (request, response) => {
    const path = String(request.url).split('?', 1)[0] ?? ''
    issuer.asked.push(path)
    await elapse(issuer.slowMs)
    const instead = issuer.broken.get(path)
    if (instead === undefined) return answer(request, response)
    const { status, body, location } = instead
    const headers = { 'content-type': 'application/json', ...(location && { location }) }
    response.writeHead(status, headers).end(body)
  })
  const listening = await listen(server)
  // Another site than that of the services, which are at 127.0.0.1.
  const url = listening.url.replace('127.0.0.1', 'localhost')
  const issuer = {
    url,
    env: {
      OPERATOR_OIDC_ISSUER: url,
      OPERATOR_OIDC_CLIENT_ID: CLIENT.client_id,
      OPERATOR_OIDC_CLIENT_SECRET: CLIENT.client_secret,
      OPERATOR_OIDC_ROLE_CLAIM: roleClaim,
    },
    account: { sub: 'lina-1', groups: ['owner', 'staff'] },
    claimsIn: 'id_token' as TestIssuer['claimsIn'],
    asks: false,
    slowMs: 0,
    broken: new Map<string, Broken>(),
    asked: [] as string[],
  }
  const serve = async (publicUrl: string) => {
    answer = (await providerOf(url, issuer, publicUrl)).callback()
  }
  return Object.assign(issuer, { serve, [Symbol.asyncDispose]: listening[Symbol.asyncDispose] })
}

const keyPair = generateKeyPair('RS256', { extractable: true })
const HOUR = 3_600

async function providerOf(
  url: string,
  issuer: Pick<TestIssuer, 'account' | 'asks' | 'claimsIn'>,
  publicUrl: string,
) {
  const { privateKey } = await keyPair
  const back = `${publicUrl}/console/sign-in/return`
  const scopes = ['openid', 'email', 'profile', 'groups']
  const provider = new Provider(url, {
    // Itself it warns of.
    adapter: class extends MemoryAdapter {},
    clients: [{ ...CLIENT, redirect_uris: [back], grant_types: ['authorization_code'] }],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig', kid: 'one' }] },
    cookies: { keys: ['a key of the tests'] },
    scopes,
    claims: { openid: ['sub', 'groups', 'realm_access', 'email', 'email_verified'] },
    features: { devInteractions: { enabled: false }, userinfo: { enabled: true } },
    ttl: { IdToken: 60, AccessToken: HOUR, Grant: HOUR, Interaction: HOUR, Session: HOUR },
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: (use: string) =>
        use === issuer.claimsIn ? { ...issuer.account, sub: accountId } : { sub: accountId },
    }),
    loadExistingGrant: async (context: {
      oidc: { client: { clientId: string }; session: { accountId: string } }
    }) => {
      const { client, session } = context.oidc
      const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
      grant.addOIDCScope(scopes.join(' '))
      await grant.save()
      return grant
    },
  })
  provider.use(async (context, next) => {
    if (!context.path.startsWith('/interaction/')) return next()
    context.respond = false
    if (issuer.asks && context.req.method === 'GET')
      return void context.res
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<form method="post"><button>Log in</button></form>')
    await provider.interactionFinished(context.req, context.res, { login: { accountId: issuer.account.sub } })
  })
  return provider
}

/** Out to the issuer: where it sends the browser back to, and the cookies that the browser has by then. */
export async function goToIssuer(
  world: World,
  options: { readonly to?: string; readonly change?: (authorization: URL) => void } = {},
): Promise<{ readonly path: string; readonly cookie: string }> {
  const query = options.to === undefined ? '' : `?to=${encodeURIComponent(options.to)}`
  const begun = await world.call('GET', `/console/sign-in/issuer${query}`)
  if (begun.status !== 303) throw new Error(`the way out answered ${begun.status}: ${begun.text}`)
  const authorization = new URL(begun.headers.get('location') ?? '')
  options.change?.(authorization)
  const back = await followTo(authorization.href, world.config.publicUrl)
  return { path: back.slice(world.url.length), cookie: cookiesFrom(begun.headers).join('; ') }
}

export async function signInByIssuer(
  world: World,
  options: Parameters<typeof goToIssuer>[1] = {},
): Promise<Answer> {
  const { path, cookie } = await goToIssuer(world, options)
  return world.call('GET', path, { headers: { cookie, 'accept-language': 'en' } })
}

export function cookiesFrom(headers: Headers): readonly string[] {
  return headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? '')
}

async function followTo(first: string, until: string): Promise<string> {
  const cookies = new Map<string, string>()
  let url = first
  while (!url.startsWith(until)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const line of cookiesFrom(answer.headers)) {
      const [name = '', value = ''] = line.split('=', 2)
      cookies.set(name, value)
    }
    const next = answer.headers.get('location')
    if (next === null) throw new Error(`the issuer answered ${answer.status}: ${await answer.text()}`)
    url = new URL(next, url).href
  }
  return url
}
