// Each of the eight combinations of `ishtirak init production`, started with the real programs on a machine
// of its own, where every port and address is as it was written: a purchase, a file of a transfer and the
// figures agree between service, proxy, database, provider and alerts.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseEnv } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { COMBINATIONS, type Combination, initProduction } from '../support/combinations.js'
import { buildOnce, PROGRAM } from '../support/process.js'
import { png } from '../support/proof-files.js'
import { requireTool } from '../support/system-tools.js'
import { waitFor } from '../support/wait-for.js'
import { CHARGILY_KEY, tokenOf } from '../support/world.js'
import { type Machine, openMachine, type Started } from './machine.js'

const root = path.resolve(import.meta.dirname, '../..')
const DOMAIN = 'pay.atlas.example'
const MIB = 1024 * 1024
const EMULATOR = path.join(root, 'packages/chargily-emulator/bin/chargily-emulator.js')
const HOST_PATH = `${process.env.PATH}:/usr/sbin`

let shared: string
let machine: Machine
beforeAll(async () => {
  for (const tool of ['nginx', 'caddy', 'systemd', 'docker-compose', 'prometheus', 'curl'] as const)
    requireTool(tool)
  buildOnce()
  shared = mkdtempSync(path.join(tmpdir(), 'ishtirak-production-'))
  // The workers of a proxy that root starts are another user.
  chmodSync(shared, 0o755)
  makeCertificate(shared)
  for (const size of [8, 9])
    writeFileSync(fileOf(size), png({ extra: size * MIB - png({ extra: 1 }).length + 1 }))
  machine = await openMachine(shared, [DOMAIN, 'postgres'], inject('serverUrl'))
  // It calls back by https through the proxy, at the address that it was told.
  const env = { PATH: HOST_PATH, NODE_EXTRA_CA_CERTS: path.join(shared, 'fullchain.pem') }
  machine.start(env, process.execPath, EMULATOR, '--port', '4000', '--key', CHARGILY_KEY)
})
afterAll(async () => {
  await machine.close()
  await rm(shared, { recursive: true, force: true })
})

const fileOf = (size: number) => path.join(shared, `${size}.png`)

function makeCertificate(folder: string): void {
  const files = ['-keyout', path.join(folder, 'privkey.pem'), '-out', path.join(folder, 'fullchain.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const name = ['-subj', `/CN=${DOMAIN}`, '-addext', `subjectAltName=DNS:${DOMAIN}`, '-days', '2']
  execFileSync('openssl', ['req', '-x509', ...key, ...name, ...files], { stdio: 'ignore' })
}

describe.each(COMBINATIONS)('$service, $proxy, $database', (combination) => {
  let folder: string
  let variables: Readonly<Record<string, string | undefined>>
  let service: Started
  let proxy: Started | undefined
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')

  beforeAll(async () => {
    folder = mkdtempSync(path.join(shared, 'files-'))
    chmodSync(folder, 0o755)
    await initProduction(folder, combination, DOMAIN)
    const environment = path.join(folder, combination.service === 'compose' ? '.env' : 'environment')
    fillIn(environment, {
      ...{ CHARGILY_SECRET_KEY: CHARGILY_KEY, CHARGILY_API_URL: 'http://127.0.0.1:4000' },
      ...{ TRANSFER_FILE: path.join(root, 'docs/transfer.example.json'), DRAIN_SECONDS: '0' },
    })
    variables = parseEnv(readFileSync(environment, 'utf8'))
    if (combination.database === 'postgres') await createDatabase(sqlOf(combination, read, variables))
    service = combination.service === 'systemd' ? startUnit(folder) : startComposed(folder)
    const [, metrics = ''] = /targets: \['([^']+)'\]/.exec(read('prometheus-rules.yml')) ?? []
    await waitFor(
      () => service.hasEnded() || curl(`http://${metrics}/metrics`).then(isOk, () => false),
      () => service.said(),
    )
    if (service.hasEnded()) throw new Error(service.said())
    proxy = combination.proxy === 'nginx' ? startNginx(folder) : startCaddy(folder)
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

  it('sells, passes a file of 8 MiB and refuses one of 9, and shows no figures', async () => {
    const token = await tokenOf({ sub: 'user-1' }, variables.AUTH_JWT_SECRET)
    const as = ['--header', `authorization: Bearer ${token}`, '--header', 'content-type: application/json']
    const billing = `https://${DOMAIN}/api/v1/billing`
    const { body: upgrade } = await curl(`${billing}/upgrade`, ...as, '--data', '{"plan":"pro"}')
    await curl(upgrade.checkout_url, '--data', 'payment_method=edahabia&outcome=paid')
    // By the event that the provider sends to PUBLIC_URL: the history asks nobody.
    const payments = async () => (await curl(`${billing}/payments`, ...as)).body
    await waitFor(async () => JSON.stringify(await payments()).includes('"status":"paid"'))
    const { body: status } = await curl(`${billing}/status`, ...as)
    expect(status).toMatchObject({ plan: 'pro', status: 'active' })
    const transfer = JSON.stringify({ plan: 'pro', method: 'transfer' })
    const { body: opened } = await curl(`${billing}/payments`, ...as, '--data', transfer)
    const put = (size: number) =>
      curl(`${billing}/payments/${opened.id}/proof`, ...as.slice(0, 2), '--upload-file', fileOf(size))
    expect((await put(9)).status).toBe(413)
    expect((await put(8)).status).toBe(200)
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

/** Of curl: it could not send, or not receive. */
const CUT_SHORT = [55, 56]

/** HTTP/1.1, as curl 7.88 loses what Caddy answers before the end of a request over HTTP/2. */
async function curl(url: string, ...options: readonly string[]): Promise<Answered> {
  const own = ['--silent', '--http1.1', '--cacert', path.join(shared, 'fullchain.pem')]
  const asked = machine.run('curl', ...own, '--write-out', '\n%{http_code}', ...options, url)
  const said = await asked.catch((error: { readonly code: number; readonly stdout: string }) => {
    // A refusal came and the connection was closed before all was sent.
    if (CUT_SHORT.includes(error.code)) return error.stdout
    throw error
  })
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

/** `ExecStart=` and `Environment=`, as systemd reads them. */
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

/**
 * With the variables that Compose gives the container and those of the image, as a process: no registry has
 * the images of the others. The container itself is tried in container.system.test.ts.
 */
function startComposed(folder: string): Started {
  const env = { PATH: HOST_PATH }
  const yaml = execFileSync('docker-compose', ['config'], { env, cwd: folder })
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  const { services } = JSON.parse(execFileSync('python3', ['-c', toJson], { input: yaml, encoding: 'utf8' }))
  const containerfile = readFileSync(path.join(root, 'deploy/Containerfile'), 'utf8')
  const [, defaults = ''] = /IMAGE_DEFAULTS="([^"]+)"/.exec(containerfile) ?? []
  const given = { IMAGE_DEFAULTS: defaults.replace('=/data', `=${folder}/data`), TMPDIR: folder }
  const composed = Object.entries(services.ishtirak.environment)
  const variables = Object.fromEntries(composed.map(([name, value]) => [name, String(value)]))
  return machine.start({ PATH: HOST_PATH, ...given, ...variables }, process.execPath, PROGRAM, 'serve')
}

function startNginx(folder: string): Started {
  const site = readFileSync(path.join(folder, 'nginx.conf'), 'utf8')
  const certificates = `/etc/letsencrypt/live/${DOMAIN}`
  expect(site).toContain(certificates)
  writeFileSync(path.join(folder, 'site.conf'), site.replaceAll(certificates, shared))
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const http = `http { ${own.join(' ')} include ${folder}/site.conf; }`
  const main = `daemon off; pid ${folder}/pid; error_log stderr; events {} ${http}`
  writeFileSync(path.join(folder, 'main.conf'), main)
  return machine.start({ PATH: HOST_PATH }, 'nginx', '-c', path.join(folder, 'main.conf'))
}

function startCaddy(folder: string): Started {
  const site = readFileSync(path.join(folder, 'Caddyfile'), 'utf8')
  expect(site).toContain(`\n${DOMAIN} {`)
  const tls = `\n${DOMAIN} {\n\ttls ${shared}/fullchain.pem ${shared}/privkey.pem`
  const file = path.join(folder, 'main.caddy')
  writeFileSync(file, `{\n\tadmin off\n}\n${site.replace(`\n${DOMAIN} {`, tls)}`)
  const env = { PATH: HOST_PATH, HOME: folder }
  return machine.start(env, 'caddy', 'run', '--adapter', 'caddyfile', '--config', file)
}

/** What init wrote for a server on the machine; in Compose the image makes the same of its variables. */
function sqlOf(
  { service }: Combination,
  read: (name: string) => string,
  { POSTGRES_PASSWORD: password = '' }: Readonly<Record<string, string | undefined>>,
): string {
  if (service === 'systemd') return read('database.sql')
  const sample = readFileSync(path.join(root, 'deploy/database.sql'), 'utf8')
  return sample.replace('0123456789abcdef', password)
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
