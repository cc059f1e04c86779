// `npm run nightly -- fault:flush [--commits 500] [--webhooks 100]`
// It shows what the kernel was asked to do, not that the disk does it.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { launchService } from '../support/process.js'
import { requireTool } from '../support/system-tools.js'
import { faultCommand, print, withEmulator } from './command.js'
import { install } from './installations.js'
import { openSales } from './sales.js'
import { WebhookClient } from './webhook-client.js'

const root = path.resolve(import.meta.dirname, '../..')

export async function run(args: readonly string[]): Promise<boolean> {
  const asked = faultCommand('flush', 'Counts the flushes that reach the disk, with strace', {
    commits: ['how many commits', 500, 10_000],
    webhooks: ['how many webhooks', 100, 10_000],
  })
    .parse(args, { from: 'user' })
    .opts<{ commits: number; webhooks: number }>()
  requireTool('strace')
  const { flushes, ...found } = await countFlushes(asked)
  const of = (phase: string) => flushes[phase] ?? 0
  print({ ...flushes, ...found })
  return (
    of('sequential commits') >= asked.commits &&
    of('reads') === 0 &&
    of('commits together') > 0 &&
    found.unflushed === 0 &&
    found.webhooks === asked.webhooks
  )
}

/** Counts by phase. `unflushed`: webhooks that were answered 200 without a flush before the answer. */
async function countFlushes({ commits, webhooks }: { commits: number; webhooks: number }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-flush-'))
  try {
    const trace = path.join(folder, 'service.trace')
    const service = await withEmulator((emulator) => traceService(trace, emulator, webhooks))
    return { flushes: await traceWorker(folder, commits), ...service }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function traceWorker(folder: string, commits: number): Promise<Record<string, number>> {
  const trace = path.join(folder, 'worker.trace')
  const strace = ['-f', '-e', 'trace=fsync,fdatasync,write', '-e', 'signal=none', '-s', '40', '-o', trace]
  const worker = [
    'scripts/run.mjs',
    'test/faults/flush-worker.ts',
    path.join(folder, 'database'),
    String(commits),
  ]
  await promisify(execFile)('strace', [...strace, process.execPath, ...worker], { cwd: root })
  return flushesByPhase(await readFile(trace, 'utf8'))
}

function flushesByPhase(trace: string): Record<string, number> {
  const flushes: Record<string, number> = {}
  let phase = 'start'
  for (const line of trace.split('\n')) {
    const [, name] = /write\(1, "phase ([a-z ]+)\\n"/.exec(line) ?? []
    if (name !== undefined) phase = name
    else if (isFlush(line)) flushes[phase] = (flushes[phase] ?? 0) + 1
  }
  return flushes
}

/** A call interrupted by another thread is printed twice: only its end counts. */
function isFlush(line: string): boolean {
  return /\b(fsync|fdatasync)\b.*= 0$/.test(line)
}

/** Sequential webhooks at the real service: a flush must have ended between each request and its answer. */
async function traceService(trace: string, emulator: Emulator, count: number) {
  const installation = await install(emulator)
  const under = ['strace', '-D', '-f', '-e', 'trace=fsync,fdatasync', '-e', 'signal=none', '-o', trace]
  const service = launchService(installation.env, under)
  const webhooks = new WebhookClient()
  const countNow = async () => (await readFile(trace, 'utf8')).split('\n').filter(isFlush).length
  try {
    const url = await service.listening()
    const userIds = Array.from({ length: count }, (_, index) => `user-${index}`)
    const sales = await openSales({ serviceUrl: url, emulator, userIds })
    const before = await countNow()
    let seen = before
    let unflushed = 0
    for (const sale of sales) {
      await webhooks.send(url, sale)
      const now = await countNow()
      if (now === seen) unflushed += 1
      seen = now
    }
    return { webhooks: webhooks.answered.size, unflushed, webhookFlushes: seen - before }
  } finally {
    webhooks.close()
    await service.kill('SIGKILL')
    await installation.remove()
  }
}
