// A deploy service as small as can be, next to Ishtirak: it asks before every deploy, sells the plan, and hears of payments.
// Its users come with a header and its deploys are a line in a list; what it does with billing is all there is to do.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { BillingApiError, BillingConfigurationError, createClient } from '@ishtirak/client'
import { eventHandler } from '@ishtirak/client/events'

const {
  PORT = '4000',
  BILLING_URL = 'http://127.0.0.1:3000',
  PLATFORM_API_KEY = '',
  EVENTS_SECRET = '',
} = process.env

const billing = createClient({
  url: BILLING_URL,
  apiKey: PLATFORM_API_KEY,
  // A deploy that waits costs our users more than one too many costs us. For storage we would say 'closed'.
  whenUnreachable: 'open',
})

/** Deploys by user, newest last. */
const deploys = new Map()
/** The last event about each user: what we show without asking. What a user may do, we always ask. */
const lastEvents = new Map()

const routes = {
  'POST /deploys': deploy,
  'POST /upgrade': upgrade,
  'GET /': overview,
}

/** One place of the day for one deploy. What fails is given back, under the very id it was consumed with. */
async function deploy({ user, url }) {
  const id = `deploy-${randomUUID()}`
  const answer = await billing.consume(user, 'deploys_per_day', { operation_id: id })
  if (!answer.allowed) {
    return [
      429,
      {
        error: `You have made ${answer.used} of ${answer.limit} deploys today.`,
        resets_at: answer.resets_at,
        upgrade: '/upgrade',
      },
    ]
  }
  try {
    await build(id, url.searchParams.has('broken'))
  } catch {
    await billing.release(user, 'deploys_per_day', { operation_id: id })
    return [422, { error: 'The build failed. It does not count.' }]
  }
  deploys.set(user, [...(deploys.get(user) ?? []), id])
  return [201, { id, remaining: answer.remaining }]
}

async function build(id, isBroken) {
  if (isBroken) throw new Error(`${id} does not build`)
}

/** The page to pay on. In a browser: redirect there. */
async function upgrade({ user }) {
  return [200, await billing.upgrade(user, 'pro')]
}

/** All types, in order for each user. */
const events = eventHandler({
  secrets: EVENTS_SECRET,
  on: {
    '*': (event) => {
      lastEvents.set(event.data.user_id, event)
    },
  },
})

async function overview({ user }) {
  const { plan, usage, limits, over_limit } = await billing.user(user)
  return [
    200,
    {
      plan,
      usage,
      limits,
      over_limit,
      deploys: deploys.get(user) ?? [],
      last_event: lastEvents.get(user)?.type ?? null,
    },
  ]
}

/** No deploy goes through here: 'open' is for outages, and a key that billing refuses is none. */
function failed(error) {
  console.error(error.message)
  if (error instanceof BillingConfigurationError) return [500, { error: 'Our mistake. Try again later.' }]
  // Such as `already_subscribed`, 409: what the user can read and act on.
  if (error instanceof BillingApiError) return [error.status, error.problem]
  return [502, { error: 'Billing does not answer. Try again later.' }]
}

const server = createServer(async (request, response) => {
  const url = new URL(request.url ?? '/', 'http://platform')
  if (url.pathname === '/events') return events.listener(request, response)
  const route = routes[`${request.method} ${url.pathname}`]
  const [status, body] = await (route
    ? route({ request, url, user: String(request.headers['x-user'] ?? 'amine') })
    : Promise.resolve([404, {}])
  ).catch(failed)
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body === undefined ? undefined : JSON.stringify(body))
})
// A wrong key ends the start; billing that is away does not.
await billing.user('anyone').catch((error) => {
  if (error instanceof BillingConfigurationError) throw error
})
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`)
})
