// What takes longer than a second says how far it is, on a terminal (made by `script`) in one line.
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { requireTool } from '../support/system-tools.js'

const root = path.resolve(import.meta.dirname, '../..')
beforeAll(() => requireTool('bsdutils'))

function run(command: readonly string[], under: readonly string[] = []) {
  const [program = '', ...args] = [...under, ...command]
  const { PATH = '', HOME = '' } = process.env
  const options = { cwd: root, env: { PATH, HOME, TERM: 'xterm' }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(program, args, options)
  return { status, stdout, stderr }
}

const onTerminal = (command: readonly string[]) =>
  run([command.map((word) => `'${word}'`).join(' '), '/dev/null'], ['script', '-qec']).stdout
const simulate = (...args: string[]) => [
  process.execPath,
  'scripts/run.mjs',
  'simulate',
  '--workers',
  '1',
  ...args,
]
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f]/

it('a simulation says it of its seeds, and nothing but lines into a file', () => {
  const shown = onTerminal(simulate('--seeds', '1-4', '--days', '20'))
  expect(shown).toMatch(/[0123] of 4 seeds \(\d+ %\)/)
  expect(shown).toContain('every rule held')
  const { status, stdout, stderr } = run(simulate('--seed', '1', '--days', '5'))
  expect([status, CONTROL.test(stdout + stderr)]).toEqual([0, false])
})

const COMMANDS: Readonly<Record<string, string>> = {
  'scripts/run.mjs simulate': '--seeds --race --database',
  'scripts/run.mjs fuzz': '--calls --uploads --only',
  'scripts/mutate.mjs': '[part...]',
  ...Object.fromEntries(
    ['kill', 'flush', 'server', 'hang', 'pgbouncer', 'patroni'].map((name) => [
      `scripts/run.mjs ${name}`,
      `fault:${name}`,
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({ before: '--program', peers: '--latency', growth: '--users', profile: '--top' }).map(
      ([part, option]) => [`bench/bench.mjs ${part}`, option],
    ),
  ),
}

it.each(Object.entries(COMMANDS))('%s prints its help and does nothing else', (command, options) => {
  const { status, stdout, stderr } = run([process.execPath, ...command.split(' '), '--help'])
  expect([status, stderr]).toEqual([0, ''])
  expect(stdout).toMatch(/^Usage: npm run (nightly|bench) -- \w/)
  expect(options.split(' ').filter((option) => !stdout.includes(option))).toEqual([])
})

it.each([
  ['scripts/run.mjs simulate --days 0', 'A whole number, at least 1'],
  ['scripts/run.mjs simulate --seeds 9-2', 'A whole number, at least 9'],
  ['scripts/run.mjs fuzz --calls many', 'A whole number, at least 1'],
  ['scripts/run.mjs kill --cycles 1001', 'A whole number, at least 1, at most 1000'],
  ['bench/bench.mjs before --rounds 0', 'A whole number, at least 1'],
])('%s is refused with its bounds', (command, bounds) => {
  const { status, stderr } = run([process.execPath, ...command.split(' ')])
  expect([status, stderr]).toEqual([1, expect.stringContaining(bounds)])
})
