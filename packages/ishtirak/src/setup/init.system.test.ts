// The programs themselves are started in test/deploy.

import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { COMBINATIONS, flagsOf, runInit as init } from '../../../../test/support/combinations.js'
import { dropPostgres, postgresUrl } from '../../../../test/support/databases.js'
import { listen } from '../../../../test/support/listen.js'
import { buildOnce, PROGRAM } from '../../../../test/support/process.js'
import { temporaryFolder } from '../../../../test/support/temporary-folder.js'
import { misspelt, readConfig } from '../main/config.js'
import { examine } from '../main/doctor.js'
import { VERSION } from '../runtime/package.js'
import { collectAnswers } from './answers.js'
import { packageContainerfile } from './templates.js'

const DOMAIN = 'pay.example.dz'
const ANSWERS = { domain: DOMAIN, service: 'systemd', proxy: 'nginx', database: 'embedded' } as const
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
  it('is named all at once where nobody can be asked, and nothing is written', async () => {
    const dir = path.join(folder, 'none')
    const { message } = await init(dir, { operator: 'a b' }).then(() => new Error(), Object)
    expect(message.match(/--\w+ (is missing|must be)/g)).toEqual([
      ...['--domain is missing', '--service is missing', '--proxy is missing', '--database is missing'],
      '--operator must be',
    ])
    expect(readdirSync(folder)).toEqual([])
  })

  it('is refused where it does not fit, and nothing is written', async () => {
    const domains = ['pay.dz:8443', 'https://pay.dz', '2001:db8::1', '192.0.2.1', 'localhost', 'pay_.dz', '']
    const refused: readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      ...domains.map((domain) => [{ domain }, '--domain must be a name'] as const),
      [{ port: '80' }, '--port must be a port'],
      [{ port: '9464' }, '--metrics-port must differ from --port'],
      [{ service: 'compose', port: '3100' }, '--port is for systemd'],
      [{ 'events-url': 'https://example.dz/#x' }, '--events-url must be an address'],
      [{ 'platform-url': "https://example.dz/'" }, '--platform-url must be an address'],
      [{ 'jwks-url': 'example.dz' }, '--jwks-url must be an address'],
      [{ proxy: 'apache' }, '--proxy must be nginx or caddy'],
    ]
    for (const [flags, refusal] of refused)
      await expect(init(folder, { ...ANSWERS, ...flags }), JSON.stringify(flags)).rejects.toThrow(refusal)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is asked again until it fits, and not at all where a flag says it', async () => {
    const typed = ['pay.example.dz:443', DOMAIN, 'Caddy', 'caddy', '', '', '', '']
    const asked: string[] = []
    const said: string[] = []
    const ask = async (question: string) => {
      asked.push(question)
      return typed.shift() ?? ''
    }
    const answers = await collectAnswers({ service: 'compose', database: 'embedded' }, ask, (line) => {
      said.push(line)
    })
    expect(answers).toMatchObject({ domain: DOMAIN, proxy: 'caddy', platformUrl: '', eventsUrl: '' })
    expect(said).toEqual([expect.stringContaining('--domain must'), '--proxy must be nginx or caddy'])
    expect(asked.filter((question) => /systemd or compose|Port/.test(question))).toEqual([])
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
    expect(said).toContain('unchanged  environment, but for what was filled in: SMTP_URL')
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
    expect.stringMatching(/^warn mail: .* SMTP_URL/),
  ])
  // No seller's file with a key of the test mode, and one that is needed with the other.
  expect(await found({ CHARGILY_SECRET_KEY: KEY, CHARGILY_API_URL: 'http://127.0.0.1:9' })).toContainEqual(
    expect.stringMatching(/^warn seller: .* RC, NIF, NIS and AI/),
  )
  const live = { CHARGILY_SECRET_KEY: 'live_sk_0123456789', CHARGILY_API_URL: 'http://127.0.0.1:9' }
  expect(await found(live)).toEqual([
    expect.stringMatching(/^fail configuration: SELLER_FILE is missing.* RC, NIF, NIS and AI/),
    expect.stringMatching(/^fail provider: /),
    expect.stringMatching(/^warn mail: .* SMTP_URL/),
  ])
})

describe('an odd place', () => {
  it('that is no folder is named with what to do', async () => {
    const file = path.join(folder, 'file')
    writeFileSync(file, '')
    await expect(init(file, ANSWERS)).rejects.toThrow(
      `${file}: a file stands where a folder is needed. --dir names`,
    )
    await expect(init(path.join(file, 'below'), ANSWERS)).rejects.toThrow('--dir names another folder')
    // As a container leaves it that started before the file was there.
    mkdirSync(path.join(folder, 'nginx.conf'))
    await expect(init(folder, ANSWERS)).rejects.toThrow(`${folder}: a folder stands where a file is needed.`)
  })

  it('with spaces and percent signs is written as systemd and a shell read it', async () => {
    const dir = path.join(folder, "100 % o'clock")
    const said = await init(dir, { ...ANSWERS, database: 'postgres' })
    const unit = readFileSync(path.join(dir, 'ishtirak.service'), 'utf8')
    expect(unit).toContain(`LoadCredential=environment:${folder}/100 %% o'clock/environment\n`)
    expect(said).toContain(`cp '${folder}/100 % o'\\''clock/ishtirak.service' /etc/systemd/system/`)
  })

  it('in a git checkout is warned of, and so is a port that is taken', async () => {
    mkdirSync(path.join(folder, '.git'))
    await using taken = await listen(createServer())
    const { port } = new URL(taken.url)
    const said = await init(path.join(folder, 'deep', 'in'), { ...ANSWERS, port })
    expect(said).toContain(`lies in the git checkout ${folder}: keep environment out of commits`)
    expect(said).toContain(`port ${port} is taken on this machine; --port names another`)
  })
})

it('an image without sources is installed from the package of this version', () => {
  const [, build = '', image = ''] = packageContainerfile().split(/^FROM /m)
  expect(build).toContain(`npm install --ignore-scripts --no-audit --no-fund ishtirak@${VERSION}\n`)
  expect([build.includes('COPY'), image.includes('COPY --from=build /app ./')]).toEqual([false, true])
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
  // Files of a few blocks at most: less than the environment takes.
  expect(init('ulimit -f 4;').status).toBe(1)
  expect(readdirSync(folder)).toEqual([])
  const { status, stdout } = init('')
  expect([status, stdout.match(/^ {2}written/gm)]).toEqual([0, Array(4).fill('  written')])
  const files = ['Caddyfile', 'environment', 'ishtirak.service', 'prometheus-rules.yml']
  expect(readdirSync(folder).sort()).toEqual(files)
})
