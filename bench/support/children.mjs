// Processes that a benchmark starts: each sends its address in one message, and each is ended by its id, at
// the latest when the benchmark ends.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const running = new Set()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/**
 * Resolves with its first message; where `url` is given, when that answers. `startMs` is the time until then.
 * `onLine` hears each line of its output.
 */
export async function startProcess(args, { env = {}, url, onLine } = {}) {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  running.add(child)
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return code ?? signal
  })
  let output = ''
  const keep = (chunk) => {
    output = `${output}${chunk}`.slice(-10_000)
  }
  child.stdout.setEncoding('utf8').on('data', keep)
  if (onLine) createInterface(child.stdout).on('line', onLine)
  child.stderr.setEncoding('utf8').on('data', keep)
  const failed = ended.then((how) => {
    throw new Error(`${args.join(' ')} ended (${how}):\n${output}`)
  })
  // An unhandled rejection would end the benchmark if the child ends later.
  failed.catch(() => {})
  const ready = url === undefined ? once(child, 'message').then(([message]) => message) : answers(url, child)
  const result = await Promise.race([ready, failed])
  return {
    ...result,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    ask: async (message) => {
      child.send(message)
      const [answer] = await Promise.race([once(child, 'message'), failed])
      if (answer.error) throw new Error(answer.error)
      return answer
    },
    stop: async () => {
      const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
      child.kill('SIGTERM')
      await ended
      clearTimeout(late)
    },
  }
}

async function answers(url, child) {
  while (child.exitCode === null) {
    const answer = await fetch(url).catch(() => null)
    if (answer?.ok) return {}
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return {}
}

/** Processor time of a process and its children so far, in seconds; NaN where the system does not tell. */
export function cpuSeconds(pid) {
  try {
    return processesOf(pid).reduce((sum, each) => sum + ownCpuSeconds(each), 0)
  } catch {
    return Number.NaN
  }
}

/**
 * proc(5): 14 and 15 are the ticks in user and kernel mode, 16 and 17 those of its children that have ended;
 * a tick is 10 ms.
 */
function ownCpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  // Counted from behind the name.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

/** It and all that it started, the eldest first. */
export function processesOf(pid) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  return [pid, ...children.flatMap((child) => processesOf(child))]
}

/** Resident memory of a process and its children in MB. */
export function residentMb(pid) {
  return processesOf(pid).reduce((sum, each) => sum + statusMb(each, /VmRSS:\s+(\d+)/), 0)
}

/** The most that a process by itself has held so far. */
export const peakMb = (pid) => statusMb(pid, /VmHWM:\s+(\d+)/)

function statusMb(pid, line) {
  return Number(line.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
