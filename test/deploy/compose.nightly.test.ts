// The files of Compose as `ishtirak init production` writes them: they are sound by its schema, and agree
// with the configuration of the service, the container file, the unit and the proxies' files.
import { mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { misspelt, readConfig, SETTINGS } from '../../packages/ishtirak/src/main/config.js'
import { Environment } from '../../packages/ishtirak/src/runtime/environment.js'
import { COMBINATIONS, initProduction } from '../support/combinations.js'
import { requireTool } from '../support/system-tools.js'
import { CHARGILY_KEY } from '../support/world.js'
import { composedIn, read } from './files.js'
import { settingOf } from './unit.js'

const OF_COMPOSE = ['POSTGRES_PASSWORD', 'BILLING_DOMAIN', 'COMPOSE_PROJECT_NAME', 'COMPOSE_FILE']
const DOMAIN = 'billing.atlas.example'

interface Composed {
  readonly services: {
    readonly ishtirak: Service
    readonly postgres?: Service
    readonly proxy: Service
  }
  readonly networks: {
    readonly inside: { readonly ipam: { readonly config: readonly { subnet: string }[] } }
  }
}

interface Service {
  readonly environment: Readonly<Record<string, string | number>>
  readonly volumes: readonly string[]
  readonly networks: Readonly<Record<string, { readonly ipv4_address: string }>>
  readonly [option: string]: unknown
}

const ofCompose = COMBINATIONS.filter(({ service }) => service === 'compose')

describe.each(ofCompose)('$proxy, $database', (combination) => {
  const { proxy, database } = combination
  let folder: string
  let composed: Composed
  const written = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  beforeAll(async () => {
    requireTool('docker-compose')
    folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-compose-'))
    await initProduction(folder, combination, DOMAIN)
    composed = composedIn(folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('sets variables that the service reads, to values that it starts with', () => {
    const environment = Object.fromEntries(
      Object.entries(composed.services.ishtirak.environment).map(([name, value]) => [name, String(value)]),
    )
    const known = [...Object.keys(Environment.properties), ...SETTINGS, ...OF_COMPOSE]
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
    expect(misspelt(environment)).toEqual([])
    const config = readConfig({ ...environment, CHARGILY_SECRET_KEY: CHARGILY_KEY })
    expect(config).toMatchObject({ sandbox: null, publicUrl: `https://${DOMAIN}` })
    const { services } = composed
    expect(services.postgres !== undefined).toBe(database === 'postgres')
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = services.postgres?.environment ?? {}
    expect(config.database.url).toBe(
      services.postgres && `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`,
    )
  })

  it('believes only the proxy’s network, and gives figures where the rules look for them', () => {
    const { ishtirak, postgres } = composed.services
    expect(composed.networks.inside.ipam.config.map(({ subnet }) => subnet)).toEqual([
      ishtirak.environment.TRUSTED_PROXIES,
    ])
    const [, port] = /\bPORT=(\d+)/.exec(read('deploy/Containerfile')) ?? []
    const { ipv4_address: address } = ishtirak.networks.inside ?? {}
    expect(written(proxy === 'nginx' ? 'nginx.conf' : 'Caddyfile')).toContain(` ${address}:${port}`)
    expect(written('prometheus-rules.yml')).toContain(
      `targets: ['${address}:${ishtirak.environment.METRICS_PORT}']`,
    )
    expect(ishtirak.ports).toBeUndefined()
    expect(postgres?.ports).toBeUndefined()
  })

  it('runs the service as the container test does, and stops it as the unit does', () => {
    const { ishtirak } = composed.services
    expect(ishtirak).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true })
    expect(ishtirak.security_opt).toEqual(['no-new-privileges:true'])
    const unit = database === 'postgres' ? 'ishtirak-server.conf' : 'ishtirak.service'
    expect(String(ishtirak.mem_limit).toUpperCase()).toBe(settingOf(unit, 'MemoryMax'))
    expect(ishtirak.stop_grace_period).toBe(`${settingOf('ishtirak.service', 'TimeoutStopSec')}s`)
    expect(ishtirak.volumes).toEqual(['data:/data:rw', `${folder}/papers:/papers:ro`])
    expect(ishtirak.depends_on).toEqual(
      database === 'postgres' ? { postgres: { condition: 'service_healthy' } } : undefined,
    )
  })
})
