// What the unit forbids is tried in the container's test: systemd itself runs on no test machine.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { postgresUrl } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { buildOnce } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { PATIENCE } from '../support/wait-for.js'
import { CHARGILY_KEY, JWT_SECRET } from '../support/world.js'
import { read, root } from './files.js'
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

it('systemd from 247 on finds nothing wrong and little exposed; it waits for a whole stop', () => {
  const analyze = (unit: string, ...parameters: string[]) =>
    execFileSync('systemd-analyze', [...parameters, path.join(folder, unit)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  for (const unit of ['ishtirak.service', 'ishtirak@8801.service'])
    expect(analyze(unit, 'verify', '--man=no')).toBe('')
  const security = ['security', '--offline=yes', '--no-pager', `--threshold=${EXPOSURE * 10}`]
  const said = analyze('ishtirak.service', ...security)
  expect(said).toContain(`Overall exposure level for ishtirak.service: ${EXPOSURE} OK`)
  // `%d` came with systemd 251.
  expect(new Set(read('deploy/ishtirak.service').match(/%\w/g))).toEqual(new Set(['%S']))
  const [drainSeconds, finishSeconds] = [5, 25]
  const stopSeconds = Number(settingOf('ishtirak.service', 'TimeoutStopSec'))
  expect(stopSeconds).toBeGreaterThan(drainSeconds + finishSeconds)
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
