// What .ci/run does before it tests, with stand-ins for npm, for who asks, and for Debian's package manager.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { temporaryFolder } from './support/temporary-folder.js'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
  mkdirSync(path.join(folder, 'bin'))
  cpSync(path.resolve(import.meta.dirname, '../.ci'), path.join(folder, '.ci'), { recursive: true })
  standIn('npm', `echo "npm $*" >>${folder}/calls; [ "$2" != test:all ] || echo "   Tests  3 passed (3)"`)
  standIn('apt-get', `echo "apt-get $*" >>${folder}/calls`)
})

function standIn(name: string, script: string): void {
  writeFileSync(path.join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
}

function run({ user, hasFonts }: { user: number; hasFonts: boolean }) {
  standIn('id', `echo ${user}`)
  standIn('dpkg', hasFonts ? 'exit 0' : 'exit 1')
  const PATH = `${path.join(folder, 'bin')}:${process.env.PATH}`
  const { status, stdout, stderr } = spawnSync(path.join(folder, '.ci/run'), {
    env: { PATH },
    encoding: 'utf8',
  })
  const calls = path.join(folder, 'calls')
  return { status, stdout, stderr, calls: existsSync(calls) ? readFileSync(calls, 'utf8') : '' }
}

it('where nothing is lacking it needs no root', () => {
  const { status, stdout, calls } = run({ user: 1000, hasFonts: true })
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, '3 passed, 0 failed'])
  expect(calls).toContain('npm ci')
  expect(calls).not.toContain('apt-get')
})

it('where something is, it names the packages to install, and does nothing', () => {
  const { status, stderr, calls } = run({ user: 1000, hasFonts: false })
  expect([status, calls]).toEqual([1, ''])
  expect(stderr).toMatch(/^ {2}apt-get install --no-install-recommends .*\bfonts-noto-core\b/m)
})

it('as root it installs what is lacking, and goes on', () => {
  const { status, calls } = run({ user: 0, hasFonts: false })
  expect(status).toBe(0)
  expect(calls).toMatch(/apt-get install .*\bfonts-noto-core\b/)
  expect(calls).toContain('npm run test:all')
})
