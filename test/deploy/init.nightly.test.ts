// Each combination runs with the real programs, where every port and address is as it was written.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { COMBINATIONS, type Combination, initProduction } from '../support/combinations.js'
import { buildOnce, PROGRAM } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, tokenOf } from '../support/world.js'
import { caddyWith, composedIn, makeCertificate, nginxWith, PATH, read, replaced, root } from './files.js'
import { type Machine, openMachine, type Started } from './machine.js'

const DOMAIN = 'pay.atlas.example'
const EMULATOR = path.join(root, 'packages/chargily-emulator/bin/chargily-emulator.js')

const shared = temporaryFolder()
let machine: Machine
beforeAll(async () => {
  for (const tool of ['nginx', 'caddy', 'systemd', 'docker-compose', 'prometheus', 'curl'] as const)
    requireTool(tool)
  buildOnce()
  // The workers of a proxy that root starts are another user.
  chmodSync(shared, 0o755)
  makeCertificate(shared, DOMAIN)
  machine = await openMachine(shared, [DOMAIN, 'postgres'], inject('serverUrl'))
  // It calls back by https through the proxy, at the address that it was told.
  const env = { PATH, NODE_EXTRA_CA_CERTS: path.join(shared, 'fullchain.pem') }
  machine.start(env, process.execPath, EMULATOR, '--port', '4000', '--key', CHARGILY_KEY)
})
afterAll(() => machine.close())

describe.each(COMBINATIONS)('$service, $proxy, $database', (combination) => {
  let folder: string
  let variables: Readonly<Record<string, string | undefined>>
  let service: Started
  let proxy: Started | undefined
  const written = (name: string) => readFileSync(path.join(folder, name), 'utf8')

  beforeAll(async () => {
    folder = mkdtempSync(path.join(shared, 'files-'))
    chmodSync(folder, 0o755)
    await initProduction(folder, combination, DOMAIN)
    const environment = path.join(folder, combination.service === 'compose' ? '.env' : 'environment')
    fillIn(environment, {
      ...{ CHARGILY_SECRET_KEY: CHARGILY_KEY, CHARGILY_API_URL: 'http://127.0.0.1:4000' },
      DRAIN_SECONDS: '0',
    })
    variables = parseEnv(readFileSync(environment, 'utf8'))
    if (combination.database === 'postgres') await createDatabase(sqlOf(combination, written, variables))
    service = combination.service === 'systemd' ? startUnit(folder) : startComposed(folder)
    const [, metrics = ''] = /targets: \['([^']+)'\]/.exec(written('prometheus-rules.yml')) ?? []
    await waitFor(
      () => service.hasEnded() || curl(`http://${metrics}/metrics`).then(isOk, () => false),
      () => service.said(),
    )
    if (service.hasEnded()) throw new Error(service.said())
    proxy = startProxy(folder, combination.proxy)
    await waitFor(
      () => proxy?.hasEnded() || curl(`https://${DOMAIN}/healthz`).then(isOk, () => false),
      () => `${proxy?.said()}`,
    )
    if (proxy.hasEnded()) throw new Error(proxy.said())
  })
  afterAll(async () => {
    await proxy?.end()
    expect(await service.end()).toBe(0)
    if (combination.database === 'postgres') await dropDatabase()
  })

  it('sells, and shows no figures', async () => {
    const token = await tokenOf({ sub: 'user-1' }, variables.AUTH_JWT_SECRET)
    const as = ['--header', `authorization: Bearer ${token}`, '--header', 'content-type: application/json']
    const billing = `https://${DOMAIN}/api/v1/billing`
    const { body: upgrade } = await curl(`${billing}/upgrade`, ...as, '--data', '{"plan":"pro"}')
    await curl(upgrade.checkout_url, '--data', 'payment_method=edahabia&outcome=paid')
    // Only the event sent to PUBLIC_URL can change it: the history makes no lookup.
    const payments = async () => (await curl(`${billing}/payments`, ...as)).body
    await waitFor(async () => JSON.stringify(await payments()).includes('"status":"paid"'))
    const { body: status } = await curl(`${billing}/status`, ...as)
    expect(status).toMatchObject({ plan: 'pro', status: 'active' })
    expect((await curl(`https://${DOMAIN}/metrics`)).status).toBe(404)
  })

  it('programs that only read its files find nothing wrong', () => {
    const rules = path.join(folder, 'prometheus-rules.yml')
    expect(execFileSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' })).toContain('SUCCESS')
    if (combination.service === 'compose') return
    const verify = ['verify', '--man=no', path.join(folder, 'ishtirak.service')]
    expect(execFileSync('systemd-analyze', verify, { encoding: 'utf8', stdio: 'pipe' })).toBe('')
  })
})

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: each call knows what it asked for
  readonly body: any
}
const isOk = ({ status }: Answered) => status === 200

async function curl(url: string, ...options: readonly string[]): Promise<Answered> {
  const own = ['--silent', '--cacert', path.join(shared, 'fullchain.pem'), '--write-out', '\n%{http_code}']
  const said = await machine.run('curl', ...own, ...options, url)
  const end = said.lastIndexOf('\n')
  const text = said.slice(0, end)
  return { status: Number(said.slice(end)), body: /^[[{]/.test(text) ? JSON.parse(text) : text }
}

function fillIn(file: string, values: Readonly<Record<string, string>>): void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replace(/^(\w+)=$/gm, (line, name) => line + (values[name] ?? '')),
  )
}

function startUnit(folder: string): Started {
  const unit = readFileSync(path.join(folder, 'ishtirak.service'), 'utf8')
  const state = path.join(folder, 'state')
  mkdirSync(path.join(state, 'ishtirak'), { recursive: true })
  const settingIn = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? ''
  const credential = settingIn('LoadCredential').replace('environment:', '')
  const fill = (text: string) =>
    text
      .replace('/usr/bin/node', process.execPath)
      .replace('/opt/ishtirak/node_modules/ishtirak/dist/main/cli.js', PROGRAM)
      .replace(/\$\{CREDENTIALS_DIRECTORY\}/, path.dirname(credential))
      .replaceAll('%S', state)
  const pairs = fill(settingIn('Environment')).split(' ')
  const [program = '', ...parameters] = fill(settingIn('ExecStart')).split(' ')
  return machine.start(Object.fromEntries(pairs.map((pair) => pair.split('='))), program, ...parameters)
}

/** As a process, because no registry has the images. container.system.test.ts tries the container. */
function startComposed(folder: string): Started {
  const { services } = composedIn(folder)
  const [, defaults = ''] = /IMAGE_DEFAULTS="([^"]+)"/.exec(read('deploy/Containerfile')) ?? []
  const given = { IMAGE_DEFAULTS: defaults.replace('=/data', `=${folder}/data`), TMPDIR: folder }
  const composed = Object.entries(services.ishtirak.environment)
  const variables = Object.fromEntries(composed.map(([name, value]) => [name, String(value)]))
  return machine.start({ PATH, ...given, ...variables }, process.execPath, PROGRAM, 'serve')
}

function startProxy(folder: string, proxy: Combination['proxy']): Started {
  const site = readFileSync(path.join(folder, proxy === 'nginx' ? 'nginx.conf' : 'Caddyfile'), 'utf8')
  const tls = `\n${DOMAIN} {\n\ttls ${shared}/fullchain.pem ${shared}/privkey.pem`
  const [program = '', ...parameters] =
    proxy === 'nginx'
      ? nginxWith(folder, replaced(site, { [`/etc/letsencrypt/live/${DOMAIN}`]: shared }))
      : caddyWith(folder, replaced(site, { [`\n${DOMAIN} {`]: tls }))
  return machine.start({ PATH, HOME: folder }, program, ...parameters)
}

/** What init wrote for a server on the machine; in Compose the image makes the same of its variables. */
function sqlOf(
  { service }: Combination,
  written: (name: string) => string,
  { POSTGRES_PASSWORD: password = '' }: Readonly<Record<string, string | undefined>>,
): string {
  if (service === 'systemd') return written('database.sql')
  return read('deploy/database.sql').replace('0123456789abcdef', password)
}

const createDatabase = (sql: string) =>
  administer(
    ...sql
      .replace(/^--.*$/gm, '')
      .trim()
      .split(/(?<=;)\n/),
  )
const dropDatabase = () => administer('drop database ishtirak with (force)', 'drop role ishtirak')

async function administer(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(inject('serverUrl'))
  await client.connect()
  for (const one of statements) await client.query(one)
  await client.end()
}
