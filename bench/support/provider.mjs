// A provider on loopback that answers each request after a fixed time. It has as much of the APIs of Stripe
// and Chargily as the services read.
import { createServer } from 'node:http'

const LATENCY_MS = Number(process.env.BENCH_LATENCY_MS)
let made = 0
const next = (prefix) => `${prefix}_${++made}`
const seconds = () => Math.floor(Date.now() / 1000)

const ANSWERS = [
  [
    'GET',
    /customers\/search/,
    () => ({ object: 'search_result', data: [], has_more: false, url: '/v1/customers/search' }),
  ],
  ['POST', /\/v1\/customers/, () => ({ id: next('cus'), object: 'customer', metadata: {} })],
  [
    'GET',
    /\/v1\/subscriptions/,
    () => ({ object: 'list', data: [], has_more: false, url: '/v1/subscriptions' }),
  ],
  [
    'GET',
    /\/v1\/prices/,
    () => ({ id: 'price_pro', object: 'price', lookup_key: null, recurring: { usage_type: 'licensed' } }),
  ],
  [
    'POST',
    /checkout\/sessions/,
    () => ({ id: next('cs'), object: 'checkout.session', url: 'https://pay.example/session' }),
  ],
  ['POST', /\/checkouts$/, (body) => chargilyCheckout(body)],
]

function chargilyCheckout(body) {
  const id = next('01kcheckout')
  return {
    ...JSON.parse(body),
    id,
    entity: 'checkout',
    livemode: false,
    status: 'pending',
    fees: 0,
    created_at: seconds(),
    updated_at: seconds(),
    payment_method: null,
    checkout_url: `https://pay.chargily.dz/test/checkouts/${id}/pay`,
  }
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const found = ANSWERS.find(([method, path]) => method === request.method && path.test(request.url))
    const answer = JSON.stringify(found ? found[2](body) : { error: { message: `unknown: ${request.url}` } })
    setTimeout(() => {
      response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' }).end(answer)
    }, LATENCY_MS)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on('SIGTERM', () => process.exit(0))
