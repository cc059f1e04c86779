// The text that the sandbox prints at its start: addresses, a token, and a whole purchase in curl lines.
import { KEPT_MAILS_PATH } from '../mail/kept-mail.js'
import { type Config, forPlatform } from './config.js'
import { loadDemo, signToken } from './sandbox.js'
import type { StartedService } from './serve.js'

/** `read`: the configuration before the sandbox completed it. Null outside the sandbox. */
export async function welcome(read: Config, service: StartedService): Promise<string | null> {
  const { url, metricsUrl, config, emulator: running } = service
  if (!running) return null
  const emulator = running.url
  const token = await signToken(config, 'user-1')
  const mailUrl = config.smtpUrl === undefined ? `${url}${KEPT_MAILS_PATH}` : null
  const hasDemo = (await loadDemo()) !== null
  // The sandbox adds its own two operators at the end.
  const keys = config.operatorKeys
    .slice(-2)
    .reverse()
    .map(({ name, key }) => `  ${name.padEnd(12)}${key}`)
    .join('\n')
  const api = `${url}/api/v1/billing`
  return `
Ishtirak is running in the sandbox: no real card, no money.

  service    ${url}          API documents ${url}/docs
  emulator   ${emulator}          clock, faults, deliveries ${emulator}/_sandbox
  metrics    ${metricsUrl}
${mailUrl ? `  mail       ${mailUrl}\n` : ''}
A whole purchase:

  TOKEN=${token}
  curl -s ${api}/plans
  curl -s ${api}/upgrade -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"plan":"pro"}'

Open the checkout_url in a browser and pay with EDAHABIA or CIB, or pay from here:

  curl -si CHECKOUT_URL -d payment_method=edahabia -d outcome=paid
  curl -s ${api}/status -H "Authorization: Bearer $TOKEN"
  curl -s ${api}/payments -H "Authorization: Bearer $TOKEN"

What the user sees: a link into the portal, for a browser:

  curl -s -X POST ${api}/portal-sessions -H "Authorization: Bearer $TOKEN"

What a platform of your own is given (docs/integrate.md), and asks on every deploy:

${platformLines(read, service)}

What the operator sees of it: ${url}/console, signed in with a key,
  or in another terminal npx ishtirak payments list

${keys}
${hasDemo ? '\nA year of a pretend shop beside it: npx ishtirak demo\n' : ''}
A month later:

  curl -s ${emulator}/_sandbox/clock -H 'Content-Type: application/json' -d '{"advance_seconds":2678400}'

`
}

function platformLines(read: Config, { url, config }: StartedService): string {
  const variables = Object.entries(forPlatform(read, config))
  const { limits } = config.plans
  // A limit of the catalogue, if possible a counter.
  const limit = limits.find(({ window }) => window) ?? limits[0]
  return `${variables.map(([name, value]) => `  export ${name}=${value}`).join('\n')}
  curl -s ${url}/api/v1/platform/users/user-1/limits/${limit?.name}/consume \\
       -H "Authorization: Bearer $PLATFORM_API_KEY" \\
       -H 'Content-Type: application/json' -d '{"operation_id":"deploy-1"}'`
}
