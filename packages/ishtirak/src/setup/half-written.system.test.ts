import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { flagsOf } from '../../../../test/support/combinations.js'
import { buildOnce, PROGRAM } from '../../../../test/support/process.js'

it('leaves no half of a file, and writes all of them once there is room', () => {
  buildOnce()
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-init-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
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
