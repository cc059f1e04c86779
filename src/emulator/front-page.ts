// What is read at `/` by whoever opens the emulator's address in a browser: where everything is. It names no key.
import type { FastifyInstance } from 'fastify'
import type { Desk } from './desk.js'

export function frontPage(desk: Desk) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get('/', async (_, reply) => reply.type('text/plain; charset=utf-8').send(textOf(desk.publicUrl())))
  }
}

const textOf = (url: string) => `An emulator of Chargily Pay V2. No real card, no real money.

API, test mode       ${url}/test/api/v2        Authorization: Bearer test_sk_...
API, live mode       ${url}/api/v2             Authorization: Bearer live_sk_...
Payment page         ${url}/test/checkouts/{id}/pay
  for scripts        POST payment_method=edahabia|cib & outcome=paid|failed|canceled

Behind the stage (from this machine only)
A page               GET ${url}/_sandbox
Clock                GET, POST ${url}/_sandbox/clock          {"advance_seconds": 1800}
Faults               GET, POST, DELETE ${url}/_sandbox/faults {"drop": {"times": 1}}
Deliveries           GET ${url}/_sandbox/deliveries, and /{id}
                     POST ${url}/_sandbox/deliveries/{id}/resend
Checkouts            GET ${url}/_sandbox/checkouts
`
