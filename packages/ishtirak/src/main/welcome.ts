// What the sandbox prints at its start: addresses, a token, and a whole purchase in curl lines.
import type { RunningService } from './serve.js'

export async function printWelcome(service: RunningService, token: string): Promise<void> {
  const { url, emulator, metricsUrl } = service
  if (!emulator) return
  const api = `${url}/api/v1/billing`
  process.stdout.write(`
Ishtirak is running in the sandbox: no real card, no money.

  service    ${url}          API documents ${url}/docs
  emulator   ${emulator.url}          clock, faults, deliveries ${emulator.url}/_sandbox
  metrics    ${metricsUrl}

A whole purchase:

  TOKEN=${token}
  curl -s ${api}/plans
  curl -s ${api}/upgrade -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"plan":"pro"}'

Open the checkout_url in a browser and pay with EDAHABIA or CIB, or pay from here:

  curl -si CHECKOUT_URL -d payment_method=edahabia -d outcome=paid
  curl -s ${api}/status -H "Authorization: Bearer $TOKEN"
  curl -s ${api}/payments -H "Authorization: Bearer $TOKEN"

What the user sees: a link into the portal, for a browser:

  curl -s -X POST ${api}/portal-sessions -H "Authorization: Bearer $TOKEN"

May this user deploy? What the platform asks on every deploy:

  curl -s ${url}/api/v1/platform/users/user-1/limits/deploys_per_day/consume \\
       -H "Authorization: Bearer ${service.config.platformKeys.at(-1)}" \\
       -H 'Content-Type: application/json' -d '{"operation_id":"deploy-1"}'

What the operator sees of it, in another terminal: npx ishtirak payments list

A month later:

  curl -s ${emulator.url}/_sandbox/clock -H 'Content-Type: application/json' -d '{"advance_seconds":2678400}'

`)
}
