// What the unit forbids is tried in the container's test: systemd itself runs on no test machine.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { requirePatroni } from '../faults/patroni.js'
import { runInit } from '../support/combinations.js'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'
import { PATH, read, root } from './files.js'
import { settingOf } from './unit.js'

/** Of 10, which is a service without any of it. */
const EXPOSURE = 1.1

const folder = temporaryFolder()
beforeAll(() => {
  requireTool('systemd')
  buildOnce()
  const own = path.join(folder, 'ishtirak.service.d')
  mkdirSync(own)
  for (const name of ['ishtirak.service', 'ishtirak@.service']) {
    // Where this machine has its node.
    const unit = read(`deploy/${name}`).replace('=/usr/bin/node', `=${process.execPath}`)
    writeFileSync(path.join(folder, name), unit)
  }
  cpSync(path.join(root, 'deploy/ishtirak-server.conf'), path.join(own, 'server.conf'))
})

/** Warnings are told on the second stream, and the command may end with 0. */
function analyze(unit: string, ...parameters: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', [...parameters, unit], { encoding: 'utf8' })
  return stdout + stderr + (status === 0 ? '' : `ended with ${status}`)
}

it('systemd from 247 on finds nothing wrong and little exposed; it waits for a whole stop', () => {
  for (const unit of ['ishtirak.service', 'ishtirak@8801.service'])
    expect(analyze(path.join(folder, unit), 'verify', '--man=no')).toBe('')
  const security = ['security', '--offline=yes', '--no-pager', `--threshold=${EXPOSURE * 10}`]
  const said = analyze(path.join(folder, 'ishtirak.service'), ...security)
  expect(said).not.toContain('ended with')
  expect(said).toContain(`Overall exposure level for ishtirak.service: ${EXPOSURE} OK`)
  // `%d` came with systemd 251.
  expect(new Set(read('deploy/ishtirak.service').match(/%\w/g))).toEqual(new Set(['%S']))
  const [drainSeconds, finishSeconds] = [5, 25]
  const stopSeconds = Number(settingOf('ishtirak.service', 'TimeoutStopSec'))
  expect(stopSeconds).toBeGreaterThan(drainSeconds + finishSeconds)
})

it('the units of a cluster, Debian’s with what restarts them, have nothing wrong', async () => {
  requirePatroni()
  const written = path.join(folder, 'cluster')
  const own = { domain: 'billing.atlas.example', service: 'systemd', proxy: 'nginx', database: 'postgres' }
  await runInit(written, { ...own, cluster: '10.7.0.11,10.7.0.12,10.7.0.13', network: '10.7.0.0/24' })
  const units = path.join(written, 'pg1/etc/systemd/system')
  const debians = ['etcd', 'patroni'].map((name) => path.join(units, `${name}.service`))
  for (const unit of debians) cpSync(path.join('/lib/systemd/system', path.basename(unit)), unit)
  expect(debians.map((unit) => analyze(unit, 'verify', '--man=no'))).toEqual(['', ''])
  // What is wrong in a file beside the unit is told, so it is read.
  const restart = path.join(units, 'patroni.service.d/restart.conf')
  writeFileSync(restart, readFileSync(restart, 'utf8').replace('Restart=', 'Again='))
  expect(debians.map((unit) => analyze(unit, 'verify', '--man=no')).join()).toContain("Unknown key 'Again'")
  for (const name of ['ishtirak.service', 'ishtirak@8801.service'])
    expect(analyze(path.join(written, name), 'verify', '--man=no')).toBe('')
  execFileSync('haproxy', ['-c', '-f', path.join(written, 'haproxy.cfg')], { env: { PATH }, stdio: 'ignore' })
})

it('its command needs no variable but those of its file, and ends with 0', async () => {
  const port = await freePort()
  const variables = [
    ...['# as in docs/deploy.md', `PORT=${port}`, `DATABASE_URL=${await postgresUrl()}`, 'DRAIN_SECONDS=0'],
    ...[`CHARGILY_SECRET_KEY=${CHARGILY_KEY}`, `AUTH_JWT_SECRET="${JWT_SECRET}"`, 'SMTP_URL='],
  ]
  writeFileSync(path.join(folder, 'environment'), variables.join('\n'))
  const fill = (text: string) =>
    text
      .replace('/usr/bin/node', process.execPath)
      .replace('/opt/ishtirak', root)
      .replace(/\$\{CREDENTIALS_DIRECTORY\}/, folder)
      .replaceAll('%S', folder)
  const [program = '', ...parameters] = fill(settingOf('ishtirak.service', 'ExecStart')).split(' ')
  const env = Object.fromEntries(
    fill(settingOf('ishtirak.service', 'Environment'))
      .split(' ')
      .map((pair) => pair.split('=')),
  )
  const child = spawn(program, parameters, { env, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await vi.waitFor(
    async () => expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200),
    PATIENCE,
  )
  const shown = ['cmdline', 'environ']
    .map((file) => readFileSync(`/proc/${child.pid}/${file}`, 'utf8'))
    .join()
  expect([CHARGILY_KEY, JWT_SECRET].filter((secret) => shown.includes(secret))).toEqual([])
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
