import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { buildOnce } from '../support/process.js'
import { PATIENCE } from '../support/wait-for.js'

const BIN = path.resolve(import.meta.dirname, '../../packages/chargily-emulator/bin/chargily-emulator.js')
const KEY = 'test_sk_command0000000000000000000000000000000'

const running: ChildProcess[] = []

beforeAll(() => buildOnce())
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

function run(...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  running.push(child)
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk
    })
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal)
  return { child, output, ended }
}

it('prints its address and key, serves, and ends with 0 on SIGTERM', async () => {
  const { child, output, ended } = run('--port', '0', '--key', KEY)
  await vi.waitFor(() => expect(output.stdout).toContain('/_sandbox\n'), PATIENCE)
  const [, api = ''] = /^Chargily Pay V2, emulated: (http:\S+)$/m.exec(output.stdout) ?? []
  expect(output.stdout).toContain(`key: ${KEY}\n`)
  const response = await fetch(`${api}/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount: 2000, currency: 'dzd', success_url: 'https://app.example.dz/ok' }),
  })
  expect(await response.json()).toMatchObject({ entity: 'checkout', status: 'pending', livemode: false })
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(output.stderr).toBe('')
})

it('draws a key when none is given', async () => {
  const { output } = run('--port', '0')
  await vi.waitFor(() => expect(output.stdout).toMatch(/^key: test_sk_[\w-]{40}$/m), PATIENCE)
})

it.each([
  [['--prot', '1'], /Unknown option '--prot'/],
  [['--port', 'x'], /^--port is a number from 0 to 65535$/m],
  [['--dialect', 'x'], /^--dialect is wire-2026 or docs$/m],
  [['--port', '0', '--key', 'sk_mine'], /^every secret key begins with test_sk_ or live_sk_$/m],
])('refuses %j with 1 and one line of words', async (args, words) => {
  const { output, ended } = run(...args)
  expect(await ended).toBe(1)
  expect(output.stderr).toMatch(words)
  expect(output.stderr.trim().split('\n')).toHaveLength(1)
  expect(output.stdout).toBe('')
})

it('--help lists every option and ends with 0', async () => {
  const { output, ended } = run('--help')
  expect(await ended).toBe(0)
  for (const option of ['port', 'host', 'key', 'webhook', 'state', 'dialect'])
    expect(output.stdout).toContain(`  --${option} <`)
})
