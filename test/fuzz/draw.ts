// Routes and fields are read from the running app and its schemas, so a new one needs no change here.
import { createHmac } from 'node:crypto'
import type { KnownRoute } from '../../packages/ishtirak/src/http/problem.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { SeededRandom } from '../support/random.js'
import { CHARGILY_KEY } from '../support/world.js'
import { bodyOf, oddHeaders, oddText, oddValue } from './odd.js'
import { keyOf, type PageSession, type Sending, type Sendings } from './pages.js'

export interface FuzzCall {
  readonly number: number
  readonly route: KnownRoute
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

/** Users in several states, and the ids of their payments and events. */
export interface Targets {
  readonly routes: readonly KnownRoute[]
  readonly tokens: readonly string[]
  readonly wrongTokens: readonly string[]
  readonly sessions: readonly PageSession[]
  readonly operatorSessions: readonly PageSession[]
  readonly sendings: Sendings
  readonly values: Readonly<Record<string, readonly (string | number)[]>>
  readonly events: readonly string[]
}

/** In rounds, each of all routes in an order of its own: no route is left out by luck. */
function routeOf(routes: Targets['routes'], { seed, number }: { seed: number; number: number }) {
  const place = number % routes.length
  const round = new SeededRandom(seed, `round ${(number - place) / routes.length}`)
  const [route] = round.shuffled(routes).slice(place)
  if (!route) throw new RangeError('there are no routes')
  return route
}

export function drawCall(targets: Targets, of: { seed: number; number: number; known: boolean }): FuzzCall {
  const random = new SeededRandom(of.seed, `call ${of.number}`)
  const route = routeOf(targets.routes, of)
  const isConsole = route.url.startsWith('/console')
  const session = random.pick(isConsole ? targets.operatorSessions : targets.sessions)
  const known = targets.sendings.get(keyOf(route))
  const sending = known && random.boolean(0.8) ? random.pick(known) : null
  const address = sending && random.boolean(0.7) ? sending.path : pathOf(random, targets, route, of.known)
  const path = address + queryOf(random, targets, route, sending)
  const isWebhook = route.url.endsWith('/webhook')
  const isPage = isConsole || route.url.startsWith('/portal')
  const isBare = route.method === 'GET' || route.method === 'HEAD'
  const secrets = of.known ? { form_token: session.formToken } : { form_token: 'guessed', key: 'guessed' }
  const fields = fieldsOf(random, targets, route.schema.body, { sending, secrets })
  const body = isBare
    ? null
    : isWebhook
      ? eventOf(random, targets)
      : isPage
        ? formOf(fields)
        : bodyOf(random, fields)
  const type = isPage ? 'application/x-www-form-urlencoded' : 'application/json'
  const credentials = of.known
    ? credentialsOf(random, targets, route, body, session.cookie)
    : wrongCredentials(random, targets)
  const headers = {
    ...(body === null ? {} : { 'content-type': type }),
    ...oddHeaders(random),
    ...credentials,
  }
  const method = random.boolean(0.03)
    ? random.pick(['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    : route.method
  return { number: of.number, route, method, path, headers, body: method === 'GET' ? null : body }
}

/** An address that holds the id of a payment is a proof of its own. */
function pathOf(random: SeededRandom, { values }: Targets, { url }: KnownRoute, known: boolean): string {
  if (random.boolean(0.03))
    return random.pick([`${url}%`, `${url}/%c3%28`, `${url}//`, `/${'x'.repeat(7_000)}`, `${url}/x`])
  return url.replace(/:(\w+)|\*/g, (_, name: string | undefined) => {
    const good = known && name !== undefined ? values[name] : undefined
    return escapeAny(good && random.boolean(0.7) ? String(random.pick(good)) : oddText(random)) || 'x'
  })
}

function queryOf(
  random: SeededRandom,
  { values }: Targets,
  { method, schema }: KnownRoute,
  sending: Sending | null,
): string {
  const sent = method === 'GET' ? (sending?.fields ?? {}) : {}
  const names = [
    ...new Set([
      ...Object.keys(propertiesOf(schema.querystring)),
      ...Object.keys(sent),
      'lang',
      'token',
      'cursor',
      'a',
    ]),
  ]
  const chosen = names.filter((name) => random.boolean(name in sent ? 0.8 : 0.25))
  const pairs = chosen.map((name) => {
    const good = sent[name] ? [sent[name]] : values[name]
    return `${name}=${escapeAny(good && random.boolean(0.5) ? String(random.pick(good)) : oddText(random))}`
  })
  if (random.boolean(0.03)) pairs.push(random.pick(['%', '%00', '&&==&', 'a[b]=1', '__proto__=1', '%ff=%ff']))
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

/** Most fields as the schema or the form wants them, so that calls get as far as the database. */
function fieldsOf(
  random: SeededRandom,
  { values }: Targets,
  schema: unknown,
  { sending, secrets }: { sending: Sending | null; secrets: Readonly<Record<string, string>> },
): Record<string, unknown> {
  const properties = propertiesOf(schema)
  const sent = sending?.fields ?? {}
  const drawn = [...Object.keys(properties), ...Object.keys(sent)].filter(() => random.boolean(0.8))
  const fields: Record<string, unknown> = Object.fromEntries(
    drawn.map((name) => [
      name,
      random.boolean(0.7)
        ? sent[name] || goodValue(random, values[name], properties[name])
        : oddValue(random),
    ]),
  )
  if (schema === undefined) {
    if (sending === null)
      Object.assign(fields, { plan: random.pick(['pro', 'free', 'x']), token: oddText(random) })
    for (const [name, secret] of Object.entries(secrets))
      fields[name] = random.boolean(0.8) ? secret : oddText(random)
  }
  if (random.boolean(0.03)) fields[oddText(random)] = oddValue(random)
  return fields
}

function goodValue(
  random: SeededRandom,
  known: readonly (string | number)[] | undefined,
  schema: unknown,
): unknown {
  if (known) return random.pick(known)
  const { type, examples, enum: allowed } = Object(schema)
  if (Array.isArray(allowed)) return random.pick(allowed)
  if (type === 'integer') return random.between(1, 5)
  if (Array.isArray(examples)) return random.pick(examples)
  return `drawn-${random.between(1, 50)}`
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const { properties, anyOf } = Object(schema)
  return properties ?? (Array.isArray(anyOf) ? Object.assign({}, ...anyOf.map(propertiesOf)) : {})
}

function formOf(fields: Readonly<Record<string, unknown>>): string {
  return new URLSearchParams(Object.entries(fields).map(([name, value]) => [name, String(value)])).toString()
}

function eventOf(random: SeededRandom, { events }: Targets): string | Uint8Array {
  const event = JSON.parse(random.pick(events))
  if (random.boolean(0.7)) {
    const inside = random.boolean(0.6) ? event.data : event
    inside[random.pick(Object.keys(inside))] = random.boolean(0.5)
      ? random.pick([0, -1, 1e15, 253402300800, 'x'])
      : oddValue(random)
  }
  if (random.boolean(0.5)) event.id = `event-drawn-${random.between(1, 2_000)}`
  return bodyOf(random, event)
}

function credentialsOf(
  random: SeededRandom,
  targets: Targets,
  { url }: KnownRoute,
  body: FuzzCall['body'],
  cookie: string,
): Record<string, string> {
  if (url.endsWith('/webhook')) {
    return {
      signature: createHmac('sha256', CHARGILY_KEY)
        .update(body ?? '')
        .digest('hex'),
    }
  }
  if (/^\/(portal|console)/.test(url)) return { cookie }
  if (url.startsWith('/api/v1/platform')) return { authorization: `Bearer ${PLATFORM_KEY}` }
  if (/operator/.test(url)) return { authorization: `Bearer ${OPERATOR_KEY}` }
  return { authorization: `Bearer ${random.pick(targets.tokens)}` }
}

function wrongCredentials(random: SeededRandom, { wrongTokens }: Targets): Record<string, string> {
  if (random.boolean(0.3)) return {}
  if (random.boolean(0.3)) {
    const name = random.pick(['ishtirak', 'ishtirak_console'])
    return { cookie: `${name}=${random.pick(['x', 'x'.repeat(43), '%00', ''])}` }
  }
  return {
    authorization: random.pick(['Bearer', 'Basic eDp5', ...wrongTokens.map((token) => `Bearer ${token}`)]),
  }
}

/** Halves of surrogate pairs have no percent form: they go as the bytes that a careless client would send. */
function escapeAny(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80'
}
