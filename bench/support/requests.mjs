// The requests of each path, made in advance: tokens signed, bodies written, webhooks signed over their
// bytes.
import { createHmac, randomUUID } from 'node:crypto'
import { CHARGILY_KEY, JWT_SECRET, PLATFORM_KEY } from './service.mjs'

const BASE = '/api/v1/billing'
const base64url = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = () => Math.floor(Date.now() / 1000)
const times = (count, make) => Array.from({ length: count }, (_, index) => make(index))

/** Of one user the same token all through a run: a platform does not sign a new one for each request. */
const SIGNED_AT = seconds()

export function tokenOf(userId) {
  const claims = { sub: userId, iat: SIGNED_AT, exp: SIGNED_AT + 86_400 }
  const content = `${base64url({ alg: 'HS256' })}.${base64url(claims)}`
  return `${content}.${createHmac('sha256', JWT_SECRET).update(content).digest('base64url')}`
}

const bearer = (token) => ({ authorization: `Bearer ${token}` })
const json = { 'content-type': 'application/json' }

/** The users asked for, `step` apart. */
const userOf = (n, step = 1) => `u_${Math.floor(n * step) + 1}`

const KINDS = {
  plans: () => [{ method: 'GET', path: `${BASE}/plans` }],
  status: ({ users, step }) =>
    times(users, (n) => ({
      method: 'GET',
      path: `${BASE}/status`,
      // The second header is for the floor, which looks at no token.
      headers: { ...bearer(tokenOf(userOf(n, step))), 'x-user': userOf(n, step) },
    })),
  history: ({ users, step }) =>
    times(users, (n) => ({
      method: 'GET',
      path: `${BASE}/payments?limit=20`,
      headers: { ...bearer(tokenOf(userOf(n, step))), 'x-user': userOf(n, step) },
    })),
  overview: ({ users }) =>
    times(users, (n) => ({
      method: 'GET',
      path: `${BASE}/overview`,
      headers: bearer(tokenOf(userOf(n))),
    })),
  user: ({ users }) =>
    times(users, (n) => ({
      method: 'GET',
      path: `/api/v1/platform/users/${userOf(n)}`,
      headers: bearer(PLATFORM_KEY),
    })),
  portal: ({ users }) =>
    times(users, (n) => ({
      method: 'GET',
      path: '/portal',
      headers: { cookie: `ishtirak=session of ${userOf(n)}`.replaceAll(' ', '_') },
    })),
  page: ({ userId, cursor }) => [
    { method: 'GET', path: `${BASE}/payments?limit=20&cursor=${cursor}`, headers: bearer(tokenOf(userId)) },
  ],
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

/** `from` is the number of the first user; `count` how many requests, where none can be sent twice. */
export function requestsOf(kind, options) {
  const { peer } = options
  return peer ? PEER_KINDS[kind](options) : KINDS[kind](options)
}

/** As it is on the wire: about 1.5 kB, most of it about the merchant. */
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

/** The same requests for the peer: better-auth with @better-auth/stripe. */
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
