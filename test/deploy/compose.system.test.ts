// deploy/compose.yaml with the variables of docs/deploy.md: it is sound by the schema of Compose, and it
// agrees with the configuration of the service, the container file, the unit and the proxy's sample.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { misspelt, readConfig, SETTINGS } from '../../packages/ishtirak/src/main/config.js'
import { Environment } from '../../packages/ishtirak/src/runtime/environment.js'
import { requireTool } from '../support/system-tools.js'
import { settingOf } from './unit.js'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const OF_COMPOSE = ['POSTGRES_PASSWORD', 'BILLING_DOMAIN']

interface Composed {
  readonly services: {
    readonly ishtirak: Service
    readonly postgres: Service
    readonly proxy: Service
  }
  readonly networks: {
    readonly inside: { readonly ipam: { readonly config: readonly { subnet: string }[] } }
  }
}

interface Service {
  readonly environment: Readonly<Record<string, string | number>>
  readonly volumes: readonly string[]
  readonly [option: string]: unknown
}

let folder: string
let composed: Composed
beforeAll(() => {
  requireTool('docker-compose')
  folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-compose-'))
  const deploy = path.join(folder, 'deploy')
  mkdirSync(deploy)
  cpSync(path.join(root, 'deploy/compose.yaml'), path.join(deploy, 'compose.yaml'))
  const [, variables = ''] = /```sh\n# deploy\/\.env\n([\s\S]*?)```/.exec(read('docs/deploy.md')) ?? []
  writeFileSync(path.join(deploy, '.env'), variables)
  const env = { PATH: process.env.PATH ?? '' }
  const yaml = execFileSync('docker-compose', ['--file', path.join(deploy, 'compose.yaml'), 'config'], {
    env,
  })
  // docker-compose is written in Python and brings its reader of YAML along.
  const toJson = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)'
  composed = JSON.parse(execFileSync('python3', ['-c', toJson], { input: yaml, encoding: 'utf8' }))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('sets variables that the service reads, to values that it starts with', () => {
  const environment = Object.fromEntries(
    Object.entries(composed.services.ishtirak.environment).map(([name, value]) => [name, String(value)]),
  )
  const known = [...Object.keys(Environment.properties), ...SETTINGS, ...OF_COMPOSE]
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  expect(misspelt(environment)).toEqual([])
  const config = readConfig({ ...environment, NODE_ENV: 'production' })
  const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = composed.services.postgres.environment
  expect(config.database.url).toBe(
    `postgres://${POSTGRES_USER}:${POSTGRES_PASSWORD}@postgres:5432/${POSTGRES_DB}`,
  )
  expect(config.sandbox).toBeNull()
})

it('believes the proxy, and only those in its network', () => {
  const { proxy, ishtirak } = composed.services
  expect(composed.networks.inside.ipam.config.map(({ subnet }) => subnet)).toEqual([
    ishtirak.environment.TRUSTED_PROXIES,
  ])
  const [, port] = /\bPORT=(\d+)/.exec(read('deploy/Containerfile')) ?? []
  expect(proxy.environment.ISHTIRAK).toBe(`ishtirak:${port}`)
  expect(read('deploy/Caddyfile')).toContain('reverse_proxy {$ISHTIRAK:')
  expect(`https://${proxy.environment.BILLING_DOMAIN}`).toBe(ishtirak.environment.PUBLIC_URL)
  expect(ishtirak.ports).toBeUndefined()
  expect(composed.services.postgres.ports).toBeUndefined()
})

it('runs the service as the container test does, and stops it as the unit does', () => {
  const { ishtirak } = composed.services
  expect(ishtirak).toMatchObject({ read_only: true, cap_drop: ['ALL'], init: true })
  expect(ishtirak.security_opt).toEqual(['no-new-privileges:true'])
  expect(String(ishtirak.mem_limit).toUpperCase()).toBe(settingOf('ishtirak-server.conf', 'MemoryMax'))
  expect(ishtirak.stop_grace_period).toBe(`${settingOf('ishtirak.service', 'TimeoutStopSec')}s`)
  expect(ishtirak.volumes).toEqual(['data:/data:rw'])
  expect(ishtirak.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
})

it('publishes figures where the rules for Prometheus look for them', () => {
  const [, port] = /127\.0\.0\.1:(\d+)/.exec(read('deploy/prometheus-rules.yml')) ?? []
  expect(String(composed.services.ishtirak.environment.METRICS_PORT)).toBe(port)
})
