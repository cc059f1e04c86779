// The programs themselves are started in test/deploy.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { COMBINATIONS, flagsOf, runInit as init } from '../../../../test/support/combinations.js'
import { dropPostgres, postgresUrl } from '../../../../test/support/databases.js'
import { buildOnce, PROGRAM } from '../../../../test/support/process.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { misspelt, readConfig } from '../main/config.js'
import { examine } from '../main/doctor.js'

const DOMAIN = 'pay.example.dz'
const ANSWERS = { domain: DOMAIN, service: 'systemd', proxy: 'nginx', database: 'embedded' } as const
const CLUSTER = { cluster: '10.7.0.1,10.7.0.2,10.7.0.3', network: '10.7.0.0/24' } as const
const KEY = 'test_sk_0123456789'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(async () => {
  process.exitCode = undefined
})

const namesIn = (dir: string) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)))
    .sort()
const contentsOf = (dir: string) =>
  Object.fromEntries(namesIn(dir).map((name) => [name, readFileSync(path.join(dir, name), 'utf8')]))

describe('what it asks for', () => {
  it('is named all at once where it is missing, and nothing is written', async () => {
    const dir = path.join(folder, 'none')
    const { message } = await init(dir, { operator: 'a b' }).then(() => new Error(), Object)
    expect(message.match(/--\w+ is (missing|wrong)/g)).toEqual([
      ...['--domain is missing', '--service is missing', '--proxy is missing', '--database is missing'],
      '--operator is wrong',
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused where it does not fit, and nothing is written', async () => {
    const domains = ['pay.dz:8443', 'https://pay.dz', '2001:db8::1', '192.0.2.1', 'localhost', 'pay_.dz', '']
    const refused: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      ...domains.map((domain) => [{ domain }, '--domain is wrong: domain of the service'] as const),
      [{ port: '80' }, '--port is wrong: port of the service behind the proxy, from 2000'],
      [{ port: '9464' }, '--metrics-port must differ from --port'],
      [{ service: 'compose', port: '3100' }, '--port is for --service systemd'],
      [{ 'events-url': 'https://example.dz/#x' }, '--events-url is wrong: https address'],
      [{ 'platform-url': "https://example.dz/'" }, '--platform-url is wrong: https address'],
      [{ 'jwks-url': 'example.dz' }, '--jwks-url is wrong: https address'],
      [{ proxy: 'apache' }, '--proxy is wrong: what stands before it: nginx or caddy'],
      [CLUSTER, '--cluster is for --service systemd --database postgres'],
      [{ ...CLUSTER, database: 'postgres', service: 'compose' }, '--cluster is for --service systemd'],
      [{ ...CLUSTER, database: 'postgres', network: '' }, '--network is wrong: network of these machines'],
      [{ database: 'postgres', cluster: CLUSTER.cluster }, '--network is missing: network of these machines'],
      [{ database: 'postgres', network: '10.7.0.0/24' }, '--network is for --cluster'],
      [{ ...CLUSTER, database: 'postgres', cluster: '10.7.0.1,10.7.0.2,10.7.0.1' }, '--cluster is wrong'],
      [{ ...CLUSTER, database: 'postgres', cluster: '10.7.0.1,10.7.0.2' }, '--cluster is wrong'],
    ]
    for (const [flags, refusal] of refused)
      await expect(init(folder, { ...ANSWERS, ...flags }), JSON.stringify(flags)).rejects.toThrow(refusal)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('each of the eight combinations', () => {
  it('writes an environment that is read, keeps secrets apart, and is not written twice', async () => {
    for (const combination of COMBINATIONS) {
      const dir = path.join(folder, Object.values(combination).join('-'))
      const flags = flagsOf(combination, DOMAIN)
      const said = await init(dir, flags)
      const environment = path.join(dir, combination.service === 'compose' ? '.env' : 'environment')
      const variables = parseEnv(readFileSync(environment, 'utf8'))
      expect(misspelt(variables)).toEqual([])
      // deploy/compose.yaml sets what is not in the file (test/deploy).
      const config = readConfig({ ...variables, CHARGILY_SECRET_KEY: KEY })
      expect(config.sandbox).toBeNull()
      expect(config.operatorKeys).toHaveLength(1)
      const { POSTGRES_PASSWORD, DATABASE_URL, OPERATOR_KEYS } = variables
      const password = POSTGRES_PASSWORD || (DATABASE_URL && new URL(DATABASE_URL).password)
      expect([dir, Boolean(password)]).toEqual([dir, combination.database === 'postgres'])
      const keys = [variables.AUTH_JWT_SECRET, variables.PLATFORM_API_KEYS, OPERATOR_KEYS?.split(':').at(-1)]
      const holds = (text: string) => [...keys, password].some((secret) => secret && text.includes(secret))
      expect(holds(said)).toBe(false)
      const before = contentsOf(dir)
      const withSecrets = Object.keys(before).filter((name) => holds(before[name] ?? ''))
      const modes = withSecrets.map((name) => statSync(path.join(dir, name)).mode & 0o777)
      expect(withSecrets).toContain(path.basename(environment))
      expect(modes).toEqual(modes.map(() => 0o600))

      const saidAgain = await init(dir, flags)
      expect(contentsOf(dir)).toEqual(before)
      const notSaid = Object.keys(before).filter((name) => !saidAgain.includes(`  unchanged  ${name}`))
      expect([dir, notSaid]).toEqual([dir, []])
      expect(saidAgain).not.toMatch(/written|differs/)
      expect(process.exitCode).toBeUndefined()
    }
  })
})

it('the unit of several processes is that of one, with the ports of its instance', async () => {
  await init(folder, { ...ANSWERS, database: 'postgres' })
  const [one = [], several = []] = ['ishtirak.service', 'ishtirak@.service'].map((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => !line.startsWith('#')),
  )
  const own = several.filter((line) => !one.includes(line))
  expect(own).toContain('Environment=PORT=%i METRICS_PORT=1%i')
  const named = /^(Description|MemoryMax|Environment)=/
  const differing = [...own, ...one.filter((line) => !several.includes(line))]
  expect(differing.filter((line) => !named.test(line))).toEqual([])
})

it('no example of a template is left, and no text in braces', async () => {
  const own = { operator: 'amina', port: '3100', 'metrics-port': '9500', 'postgres-version': '17' }
  const urls = { 'platform-url': 'https://app.dz', 'events-url': 'https://app.dz/hooks' }
  const said = await init(folder, { ...ANSWERS, ...CLUSTER, ...own, ...urls, database: 'postgres' })
  const files = Object.entries({ ...contentsOf(folder), said })
  // Comments keep the examples that they explain.
  const texts = files.map(([name, text]) => [name, text.replace(/^(#|--).*$/gm, '')] as const)
  const examples =
    /billing\.example|10\.0\.0|0123456789abcdef|:3000|:9464|postgresql\/15|\/etc\/ishtirak|\{\w+\}/
  const left = texts.filter(([name, text]) => name !== 'prometheus-rules.yml' && examples.test(text))
  expect(left.map(([name, text]) => [name, examples.exec(text)?.[0]])).toEqual([
    ['ishtirak.service', '{CREDENTIALS_DIRECTORY}'],
    ['ishtirak@.service', '{CREDENTIALS_DIRECTORY}'],
  ])
})

describe('--cluster', () => {
  it('writes the files of three machines with the same passwords, and changes none', async () => {
    const flags = { ...ANSWERS, ...CLUSTER, database: 'postgres', 'postgres-version': '17' }
    await init(folder, flags)
    const before = contentsOf(folder)
    const passwords = parseEnv(before['pg1/etc/patroni_env.conf'] ?? '')
    const names = ['PATRONI_REPLICATION_PASSWORD', 'PATRONI_SUPERUSER_PASSWORD']
    expect(Object.keys(passwords).toSorted()).toEqual(names)
    expect(new Set(Object.values(passwords)).size).toBe(2)
    for (const [place, address] of CLUSTER.cluster.split(',').entries()) {
      const machine = `pg${place + 1}`
      const own = (name: string) => before[`${machine}/etc/${name}`] ?? ''
      expect(parseEnv(own('patroni_env.conf'))).toEqual(passwords)
      expect(statSync(path.join(folder, machine, 'etc/patroni_env.conf')).mode & 0o777).toBe(0o600)
      expect(parseEnv(own('default/etcd'))).toMatchObject({
        ETCD_NAME: machine,
        ETCD_INITIAL_CLUSTER: 'pg1=http://10.7.0.1:2380,pg2=http://10.7.0.2:2380,pg3=http://10.7.0.3:2380',
        ETCD_LISTEN_PEER_URLS: `http://${address}:2380`,
      })
      expect(own('patroni/config.yml')).toContain(`name: ${machine}\n`)
      expect(own('patroni/config.yml')).toContain(`connect_address: ${address}:5432\n`)
      expect(own('patroni/config.yml')).toContain('hosts: 10.7.0.1:2379,10.7.0.2:2379,10.7.0.3:2379\n')
      expect(own('patroni/config.yml')).toContain('host all all 10.7.0.0/24 scram-sha-256\n')
      expect(before['haproxy.cfg']).toContain(`server ${machine} ${address}:5432 check port 8008\n`)
    }
    // A lost file of a machine gets the passwords of the others.
    await rm(path.join(folder, 'pg1'), { recursive: true })
    const said = await init(folder, flags)
    expect(contentsOf(folder)).toEqual(before)
    expect(said).not.toContain('differs')
  })
})

it('it ends with a doctor before the start, and with a certificate that renews itself', async () => {
  const said = await init(folder, ANSWERS)
  const inOrder = [
    ...['cli.js doctor', 'systemctl enable --now ishtirak', 'mkdir -p /var/www/acme', 'certonly --webroot'],
    ...["--deploy-hook 'systemctl reload nginx'", `cp ${folder}/nginx.conf`, 'certbot renew --dry-run'],
  ]
  const places = inOrder.map((step) => said.indexOf(step))
  expect(places).toEqual(places.filter((place) => place > 0).toSorted((one, other) => one - other))
  expect(said).toContain(`{ listen 80; listen [::]:80; server_name ${DOMAIN}; root /var/www/acme; }`)
  expect(readFileSync(path.join(folder, 'nginx.conf'), 'utf8')).toContain('{ root /var/www/acme; }')
  const composed = await init(path.join(folder, 'composed'), { ...ANSWERS, service: 'compose' })
  expect(composed.indexOf('run --rm ishtirak doctor')).toBeLessThan(composed.indexOf('up --detach'))
  expect(composed).toContain('kill --signal HUP proxy')
})

describe('a second run', () => {
  it('with other answers changes nothing, and shows the lines that differ but no secret', async () => {
    await init(folder, ANSWERS)
    const file = path.join(folder, 'environment')
    const { AUTH_JWT_SECRET: first = '' } = parseEnv(readFileSync(file, 'utf8'))
    const rotated = readFileSync(file, 'utf8').replace(first, `${'n'.repeat(40)},${first}`)
    writeFileSync(file, rotated.replace('CHARGILY_SECRET_KEY=', `CHARGILY_SECRET_KEY=${KEY}`))
    const before = contentsOf(folder)
    const urls = { 'jwks-url': 'https://example.dz/keys', 'events-url': 'https://example.dz/hooks' }
    const said = await init(folder, { ...ANSWERS, port: '3100', ...urls })
    expect(contentsOf(folder)).toEqual(before)
    const shown = [
      ...['is       PORT=3000\n      would be PORT=3100', 'would be AUTH_JWKS_URL=https://example.dz/keys'],
      ...['would be EVENTS_SECRETS=(not shown)', 'set here CHARGILY_SECRET_KEY'],
      ...['is           server 127.0.0.1:3000;', 'would be     server 127.0.0.1:3100;'],
    ]
    expect(shown.filter((line) => !said.includes(line))).toEqual([])
    expect([KEY, first, 'nnnnn', 'whsec_'].filter((secret) => said.includes(secret))).toEqual([])
    expect(process.exitCode).toBe(1)
  })

  it('finds what was filled in and what was rotated in order, and writes what was removed', async () => {
    await init(folder, ANSWERS)
    const file = path.join(folder, 'environment')
    const rotated = readFileSync(file, 'utf8').replace('PLATFORM_API_KEYS=', '$&a-new-key-of-the-platform,')
    writeFileSync(file, rotated.replace('SMTP_URL=', '$&smtps://mail.example.dz'))
    const before = contentsOf(folder)
    await rm(path.join(folder, 'nginx.conf'))
    const said = await init(folder, ANSWERS)
    expect(said).toContain('unchanged  environment\n      set here SMTP_URL\n')
    expect([contentsOf(folder), process.exitCode]).toEqual([before, undefined])
  })
})

it('the doctor finds nothing wrong but what only the seller has, and says where to get it', async () => {
  await init(folder, { ...ANSWERS, 'events-url': 'https://example.dz/hooks' })
  const written = parseEnv(readFileSync(path.join(folder, 'environment'), 'utf8'))
  // Creating an embedded database takes seconds.
  const DATABASE_URL = await postgresUrl()
  onTestFinished(() => dropPostgres(DATABASE_URL))
  const found = async (own: Readonly<Record<string, string>>) => {
    const troubles: string[] = []
    const variables = { ...written, DATABASE_URL, ...own }
    for await (const { verdict, subject, found: what, remedy } of examine(variables))
      if (verdict !== 'ok') troubles.push(`${verdict} ${subject}: ${what} -> ${remedy}`)
    return troubles
  }
  expect(await found({})).toEqual([
    expect.stringMatching(/^fail configuration: CHARGILY_SECRET_KEY is missing -> Chargily Pay gives it/),
  ])
  // No seller's file with a key of the test mode, and one that is needed with the other.
  expect(await found({ CHARGILY_SECRET_KEY: KEY, CHARGILY_API_URL: 'http://127.0.0.1:9' })).toContainEqual(
    expect.stringMatching(/^warn seller: .* RC, NIF, NIS and AI/),
  )
  const live = { CHARGILY_SECRET_KEY: 'live_sk_0123456789', CHARGILY_API_URL: 'http://127.0.0.1:9' }
  expect(await found(live)).toEqual([
    expect.stringMatching(/^fail configuration: SELLER_FILE is missing.* RC, NIF, NIS and AI/),
  ])
})

describe('an odd place', () => {
  it('that is no folder is named with what to do', async () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, '')
    await expect(init(file, ANSWERS)).rejects.toThrow(/^error: cannot write to .*file.* --dir names another/)
    await expect(init(path.join(file, 'below'), ANSWERS)).rejects.toThrow('--dir names another folder')
    // A container that started before the file existed leaves a folder.
    mkdirSync(path.join(folder, 'nginx.conf'))
    await expect(init(folder, ANSWERS)).rejects.toThrow(`cannot write to ${folder}: EISDIR`)
  })

  it('whose name a unit or a shell would have to quote is refused, and nothing is written', async () => {
    for (const name of ['100 %', "o'clock", 'a:b', '$HOME', 'été'])
      await expect(init(path.join(folder, name), ANSWERS)).rejects.toThrow('--dir must be a path of letters')
    expect(readdirSync(folder)).toEqual([])
  })

  it('in a git checkout is warned of', async () => {
    mkdirSync(path.join(folder, '.git'))
    const said = await init(path.join(folder, 'deep', 'in'), ANSWERS)
    expect(said).toContain(`lies in the git checkout ${folder}: keep its secrets out of commits`)
  })
})

it('an image without sources installs the package, and is otherwise the one that is built', () => {
  const stagesOf = (name: string) =>
    readFileSync(new URL(`../../../../deploy/${name}`, import.meta.url), 'utf8').split(/^FROM /m)
  const [[, , image], [, install, same]] = [stagesOf('Containerfile'), stagesOf('Containerfile.package')]
  expect(install).toContain('npm install --ignore-scripts --no-audit --no-fund ishtirak@{version}\n')
  expect(install).not.toContain('COPY')
  expect(same).toBe(image)
})

it('leaves no half of a file, and writes all of them once there is room', () => {
  buildOnce()
  const folder = temporaryFolder()
  const combination = { service: 'systemd', proxy: 'caddy', database: 'embedded' } as const
  const flags = Object.entries(flagsOf(combination, 'pay.example.dz'))
  const words = flags.map(([name, value]) => `--${name}=${value}`)
  const init = (before: string) => {
    const program = [process.execPath, PROGRAM, 'init', 'production', `--dir=${folder}`, ...words]
    return spawnSync('sh', ['-c', `${before} exec "$@"`, 'sh', ...program], { encoding: 'utf8' })
  }
  // Files of a few blocks at most, which is less than the environment needs.
  expect(init('ulimit -f 4;').status).toBe(1)
  expect(readdirSync(folder)).toEqual([])
  const { status, stdout } = init('')
  expect([status, stdout.match(/^ {2}written/gm)]).toEqual([0, Array(4).fill('  written')])
  const files = ['Caddyfile', 'environment', 'ishtirak.service', 'prometheus-rules.yml']
  expect(readdirSync(folder).sort()).toEqual(files)
})
