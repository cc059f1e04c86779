// They are run in init.nightly.test.ts.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { COMBINATIONS, initProduction } from '../support/combinations.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { composedIn, read } from './files.js'
import { settingOf } from './unit.js'

const ofCompose = COMBINATIONS.filter(({ service }) => service === 'compose')

it.each(ofCompose)(
  'with $proxy and $database they believe the proxy alone, and limit the service as the unit',
  async (combination) => {
    requireTool('docker-compose')
    const folder = temporaryFolder()
    await initProduction(folder, combination, 'billing.atlas.example')
    const { services, networks } = composedIn(folder)
    const { ishtirak, postgres } = services
    const isOnServer = combination.database === 'postgres'
    const [{ subnet }] = networks.inside.ipam.config
    expect(ishtirak.environment.TRUSTED_PROXIES).toBe(subnet)
    const [, port] = /\bPORT=(\d+)/.exec(read('deploy/Containerfile')) ?? []
    const site = combination.proxy === 'nginx' ? 'nginx.conf' : 'Caddyfile'
    const address = ishtirak.networks.inside.ipv4_address
    expect(readFileSync(path.join(folder, site), 'utf8')).toContain(` ${address}:${port}`)
    expect([ishtirak.ports, postgres?.ports]).toEqual([undefined, undefined])
    const unit = isOnServer ? 'ishtirak-server.conf' : 'ishtirak.service'
    expect(String(ishtirak.mem_limit).toUpperCase()).toBe(settingOf(unit, 'MemoryMax'))
    expect(ishtirak).toMatchObject({
      ...{ read_only: true, cap_drop: ['ALL'], init: true, security_opt: ['no-new-privileges:true'] },
      ...{ volumes: ['data:/data:rw', `${folder}/documents:/documents:ro`] },
      stop_grace_period: `${settingOf('ishtirak.service', 'TimeoutStopSec')}s`,
      ...(isOnServer && { depends_on: { postgres: { condition: 'service_healthy' } } }),
    })
  },
)
