// A provider on loopback that answers each request after a fixed time. It has as much of the APIs of Stripe
// and Chargily as the services read.
import { createServer } from 'node:http'

const LATENCY_MS = Number(process.env.BENCH_LATENCY_MS)
let made = 0
const next = (prefix) => `${prefix}_${++made}`
const seconds = () => Math.floor(Date.now() / 1000)
const listOf = (object, url) => ({ object, data: [], has_more: false, url })

/** The answer by method and beginning of the path. */
const ANSWERS = {
  'GET /v1/customers/search': () => listOf('search_result', '/v1/customers/search'),
  'POST /v1/customers': () => ({ id: next('cus'), object: 'customer', metadata: {} }),
  'GET /v1/subscriptions': () => listOf('list', '/v1/subscriptions'),
  'GET /v1/prices': () => {
    return { id: 'price_pro', object: 'price', lookup_key: null, recurring: { usage_type: 'licensed' } }
  },
  'POST /v1/checkout/sessions': () => {
    return { id: next('cs'), object: 'checkout.session', url: 'https://pay.example/session' }
  },
  'POST /test/api/v2/checkouts': (body) => {
    const id = next('01kcheckout')
    const made = { id, entity: 'checkout', livemode: false, status: 'pending', fees: 0, payment_method: null }
    const at = { created_at: seconds(), updated_at: seconds() }
    const checkout_url = `https://pay.chargily.dz/test/checkouts/${id}/pay`
    return { ...JSON.parse(body), ...made, ...at, checkout_url }
  },
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    const asked = `${request.method} ${request.url}`
    const name = Object.keys(ANSWERS).find((one) => asked.startsWith(one))
    const answer = JSON.stringify(name ? ANSWERS[name](body) : { error: { message: `unknown: ${asked}` } })
    setTimeout(() => {
      response.writeHead(name ? 200 : 404, { 'content-type': 'application/json' }).end(answer)
    }, LATENCY_MS)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
process.on('SIGTERM', () => process.exit(0))
