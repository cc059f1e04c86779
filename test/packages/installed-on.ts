import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../support/free-port.js'
import { waitFor } from '../support/wait-for.js'
import { type Installed, npm, ROOT, start } from './installation.js'

const VERSION = JSON.parse(readFileSync(path.join(ROOT, 'packages/ishtirak/package.json'), 'utf8')).version
const PLATFORM_KEY = 'a-key-of-the-platform-of-the-tests'

/** What the packages promise on a version of Node. `install` is called once, before the first test. */
export function describeInstalledOn(version: string, install: () => Installed): void {
  describe(`installed on Node ${version}`, () => {
    let installed: Installed
    beforeAll(() => {
      installed = install()
    })

    it('have a whole tree without overrides, which takes this Node, and say their version', () => {
      // `install` is strict about engines, and leaves out an optional package that does not fit.
      npm(installed.node, ['ls', '--all'], installed.folder)
      for (const name of Object.keys(manifestOf(installed, 'ishtirak').optionalDependencies))
        expect([name, existsSync(path.join(installed.folder, 'node_modules', name))]).toEqual([name, true])
      const said = npm(installed.node, ['exec', '--', 'ishtirak', '--version'], installed.folder)
      expect(said.trim()).toBe(VERSION)
    })

    it('the sandbox sells pro, prints its receipt, and answers the README of the client', async () => {
      await using sandbox = await startSandbox(installed, {})
      const receipt = await buyPro(sandbox)
      expect([receipt.status, receipt.headers.get('content-type')]).toEqual([200, 'application/pdf'])
      const [program = ''] = examplesOf('packages/client/README.md')
      const env = { PLATFORM_API_KEY: PLATFORM_KEY }
      const asked = program.replace('http://127.0.0.1:3000', sandbox.url)
      const answer = /^true 1 \d+ \d{4}-/
      expect(await run(installed, 'client.mjs', asked, env)).toMatch(answer)
      // This repeats the operation.
      expect(await run(installed, 'client.cjs', asCommonJs(asked), env)).toMatch(answer)
    })

    it('the README of the emulator: in a test, and as a command', async () => {
      const [program = ''] = examplesOf('packages/chargily-emulator/README.md')
      expect(await run(installed, 'emulator.mjs', program)).toBe(
        "[ [ 'checkout.paid', 1 ], [ 'checkout.paid', 1 ] ]\n",
      )
      const port = await freePort()
      await using command = start(installed, [bin('chargily-emulator'), '--port', String(port)])
      await command.says(/_sandbox/)
      expect((await fetch(`http://127.0.0.1:${port}/_sandbox`)).status).toBe(200)
    })

    it('the README of the service: mounted in a server of node:http', async () => {
      const [program = ''] = examplesOf('packages/ishtirak/README.md')
      const port = await freePort()
      writeFileSync(path.join(installed.folder, 'mounted.mjs'), program.replaceAll('3000', String(port)))
      await using _host = start(installed, ['mounted.mjs'])
      const url = `http://127.0.0.1:${port}/api/v1/billing/status`
      const status = () => fetch(url, { headers: { 'x-user': 'user-1' } }).catch(() => null)
      await waitFor(async () => (await status()) !== null)
      expect(await (await status())?.json()).toMatchObject({ plan: 'free', status: 'active' })
      expect((await fetch(url)).status).toBe(401)
    })
  })
}

export const bin = (name: string) => `node_modules/${name}/bin/${name}.js`

export function manifestOf({ folder: of }: Installed, name: string) {
  return JSON.parse(readFileSync(path.join(of, 'node_modules', name, 'package.json'), 'utf8'))
}

function examplesOf(document: string): string[] {
  const blocks = readFileSync(path.join(ROOT, document), 'utf8').matchAll(/```js\n([\s\S]*?)```/g)
  return [...blocks].map(([, code = '']) => code)
}

/** The same program where there is neither `import` nor `await` outside of functions. */
function asCommonJs(program: string): string {
  const required = program.replace(/import (\{.*\}) from ('.*')/g, 'const $1 = require($2)')
  return `(async () => {\n${required}\n})()\n`
}

async function run(of: Installed, name: string, program: string, env = {}): Promise<string> {
  writeFileSync(path.join(of.folder, name), program)
  const { end, output } = await start(of, [name], env).ended()
  if (end !== 0) throw new Error(`${name} ended with ${end}:\n${output}`)
  return output
}

export async function startSandbox(of: Installed, env: Record<string, string>) {
  const port = await freePort()
  const program = start(of, [bin('ishtirak')], {
    PORT: String(port),
    SANDBOX_PORT: String(await freePort()),
    PLATFORM_API_KEYS: PLATFORM_KEY,
    ...env,
  })
  const [, token = ''] = await program.says(/TOKEN=(\S+)/)
  return { ...program, url: `http://127.0.0.1:${port}`, token }
}

/** As the lines that the sandbox prints; gives the answer for the receipt. */
export async function buyPro({
  url,
  token,
}: {
  readonly url: string
  readonly token: string
}): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const api = `${url}/api/v1/billing`
  const upgrade = await fetch(`${api}/upgrade`, { method: 'POST', headers, body: '{"plan":"pro"}' })
  const { checkout_url: checkoutUrl, payment_id: paymentId } = await upgrade.json()
  const paid = new URLSearchParams({ payment_method: 'edahabia', outcome: 'paid' })
  await fetch(checkoutUrl, { method: 'POST', body: paid, redirect: 'manual' })
  await waitFor(async () => (await (await fetch(`${api}/status`, { headers })).json()).plan === 'pro')
  return fetch(`${api}/payments/${paymentId}/receipt`, { headers })
}
