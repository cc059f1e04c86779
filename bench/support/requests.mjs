// The requests of each path, made in advance with their tokens, bodies and signatures.
import { createHmac, randomUUID } from 'node:crypto'
import { CHARGILY_KEY, JWT_SECRET, PLATFORM_KEY } from './service.mjs'

const BASE = '/api/v1/billing'
const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = () => Math.floor(Date.now() / 1000)
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index))

/** A user keeps one token through a run: a platform does not sign a new one for each request. */
const SIGNED_AT = seconds()

function tokenOf(userId) {
  const claims = { sub: userId, iat: SIGNED_AT, exp: SIGNED_AT + 86_400 }
  const content = `${base64url({ alg: 'HS256' })}.${base64url(claims)}`
  return `${content}.${createHmac('sha256', JWT_SECRET).update(content).digest('base64url')}`
}

const bearer = (token) => ({ authorization: `Bearer ${token}` })
const json = { 'content-type': 'application/json' }

/** The users asked for, `step` apart. */
const userOf = (n, step = 1) => `u_${Math.floor(n * step) + 1}`

const readings =
  (path, headersOf) =>
  ({ users, step }) =>
    times(users, (n) => {
      const user = userOf(n, step)
      return { method: 'GET', path: path.replace(':user', user), headers: headersOf(user) }
    })
const withToken = (user) => bearer(tokenOf(user))

const KINDS = {
  status: readings(`${BASE}/status`, withToken),
  history: readings(`${BASE}/payments?limit=20`, withToken),
  overview: readings(`${BASE}/overview`, withToken),
  user: readings('/api/v1/platform/users/:user', () => bearer(PLATFORM_KEY)),
  portal: readings('/portal', (user) => ({ cookie: `ishtirak=session_of_${user}` })),
  consume: ({ users, step }) =>
    times(users, (n) => ({
      method: 'POST',
      path: `/api/v1/platform/users/${userOf(n, step)}/limits/storage_mb/consume`,
      headers: { ...bearer(PLATFORM_KEY), ...json },
      body: '{"operation_id":"op_[<id>]","amount":1}',
    })),
  webhook: ({ prefix, from, count }) =>
    times(count, (n) => {
      const body = eventOf(`${prefix}${from + n}`)
      return {
        method: 'POST',
        path: `${BASE}/webhook`,
        headers: { ...json, signature: createHmac('sha256', CHARGILY_KEY).update(body).digest('hex') },
        body,
      }
    }),
  upgrade: ({ prefix, from, count }) =>
    times(count, (n) => ({
      method: 'POST',
      path: `${BASE}/upgrade`,
      headers: { ...bearer(tokenOf(`${prefix}${from + n}`)), ...json },
      body: '{"plan":"pro"}',
    })),
}

/**
 * `from` is the number of the first user. `count` is how many requests there are, if each can be sent only
 * once. `peer` asks for those of better-auth.
 */
export const requestsOf = (kind, options) => (options.peer ? PEER_KINDS : KINDS)[kind](options)

/** An event of Chargily has about 1.5 kB, most of it about the merchant. */
function eventOf(userId) {
  const now = seconds()
  return JSON.stringify({
    id: `evt_${userId}`,
    entity: 'event',
    livemode: 'false',
    type: 'checkout.paid',
    data: {
      id: `chk_${userId}`,
      entity: 'checkout',
      fees: 45,
      amount: 2000,
      locale: 'ar',
      status: 'paid',
      metadata: { payment_id: `pay_${userId}`, user_id: userId },
      created_at: now - 60,
      invoice_id: null,
      updated_at: now,
      customer_id: null,
      description: 'Pro',
      failure_url: 'https://billing.example.dz/return',
      success_url: 'https://billing.example.dz/return',
      payment_method: 'edahabia',
      payment_link_id: null,
      pass_fees_to_customer: 0,
      chargily_pay_fees_allocation: 'merchant',
      shipping_address: null,
      collect_shipping_address: 0,
      discount: null,
      currency: 'dzd',
      checkout_url: `http://pay.chargily.dz/test/checkouts/chk_${userId}/pay`,
      account: { id: randomUUID(), documents: 'x'.repeat(500) },
    },
    created_at: now,
    updated_at: now,
  })
}

/** These are the same requests for better-auth with @better-auth/stripe. */
const PEER_KINDS = {
  status: ({ users }) =>
    times(users, (n) => ({
      method: 'GET',
      path: '/api/auth/subscription/list',
      headers: bearer(`token_u_${n + 1}`),
    })),
  upgrade: ({ from, count }) =>
    times(count, (n) => ({
      method: 'POST',
      path: '/api/auth/subscription/upgrade',
      headers: { ...bearer(`token_f_${from + n}`), ...json },
      body: '{"plan":"pro","successUrl":"/ok","cancelUrl":"/no"}',
    })),
  webhook: ({ users, count, secret }) =>
    times(count, (n) => {
      const body = stripeEventOf((n % users) + 1)
      const content = `${seconds()}.${body}`
      const signature = createHmac('sha256', secret).update(content).digest('hex')
      return {
        method: 'POST',
        path: '/api/auth/stripe/webhook',
        headers: { ...json, 'stripe-signature': `t=${content.slice(0, 10)},v1=${signature}` },
        body,
      }
    }),
}

function stripeEventOf(n) {
  const start = seconds()
  const period = { current_period_start: start, current_period_end: start + 2_592_000 }
  return JSON.stringify({
    id: `evt_${randomUUID()}`,
    object: 'event',
    type: 'customer.subscription.updated',
    created: start,
    data: {
      object: {
        id: `sub_u_${n}`,
        object: 'subscription',
        customer: `cus_u_${n}`,
        status: 'active',
        cancel_at_period_end: false,
        cancel_at: null,
        canceled_at: null,
        ended_at: null,
        metadata: { documents: 'x'.repeat(500) },
        items: {
          data: [{ id: 'si_1', quantity: 1, price: { id: 'price_pro', lookup_key: null }, ...period }],
        },
        ...period,
      },
    },
  })
}
