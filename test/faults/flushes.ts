// Committed means flushed, seen from outside the process: strace lists the flush calls. This shows what the
// kernel was asked to do, not that the disk does it.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { startEmulator } from '../../packages/chargily-emulator/src/emulator.js'
import { launchService } from '../support/process.js'
import { CHARGILY_KEY } from '../support/world.js'
import { embeddedInstallation } from './installations.js'
import { openSales } from './sales.js'
import { WebhookClient } from './webhook-client.js'

const root = path.resolve(import.meta.dirname, '../..')

export interface FlushFigures {
  readonly commits: number
  /** By phase: sequential commits, reads, commits together. */
  readonly flushes: Readonly<Record<string, number>>
  /** Webhooks answered 200 by the real service, and those before whose answer no flush was seen. */
  readonly webhooks: number
  readonly unflushed: number
  readonly webhookFlushes: number
}

export async function countFlushes(options: { commits: number; webhooks: number }): Promise<FlushFigures> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ishtirak-flush-'))
  const emulator = await startEmulator({ secretKeys: [CHARGILY_KEY] })
  try {
    const flushes = await traceWorker(folder, options.commits)
    const service = await traceService(path.join(folder, 'service.trace'), emulator, options.webhooks)
    return { commits: options.commits, flushes, ...service }
  } finally {
    await emulator.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function traceWorker(folder: string, commits: number): Promise<Record<string, number>> {
  const trace = path.join(folder, 'worker.trace')
  const strace = ['-f', '-e', 'trace=fsync,fdatasync,write', '-e', 'signal=none', '-s', '40', '-o', trace]
  const worker = ['scripts/fault.mjs', 'flush-worker', path.join(folder, 'database'), String(commits)]
  await promisify(execFile)('strace', [...strace, process.execPath, ...worker], { cwd: root })
  return flushesByPhase(await readFile(trace, 'utf8'))
}

export function flushesByPhase(trace: string): Record<string, number> {
  const flushes: Record<string, number> = {}
  let phase = 'start'
  for (const line of trace.split('\n')) {
    const [, name] = /write\(1, "phase ([a-z ]+)\\n"/.exec(line) ?? []
    if (name !== undefined) phase = name
    else if (isFlush(line)) flushes[phase] = (flushes[phase] ?? 0) + 1
  }
  return flushes
}

/**
 * Successful ones only; a call interrupted by another thread is printed twice, of which only its end counts.
 */
function isFlush(line: string): boolean {
  return /\b(fsync|fdatasync)\b.*= 0$/.test(line)
}

/** Sequential webhooks at the real service: a flush must have ended between each request and its answer. */
async function traceService(trace: string, emulator: Emulator, count: number) {
  const installation = await embeddedInstallation(emulator)
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
