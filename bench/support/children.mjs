// Processes that a benchmark starts. Each sends its address in one message, and ends with the benchmark at
// the latest.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const running = new Map()
export const stopAll = () => Promise.all([...running.values()].map((stop) => stop()))
process.on('exit', () => {
  for (const child of running.keys()) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Resolves with the first message of the process or, if `url` is given, when that answers. */
export async function startProcess(args, { env = {}, url, onLine } = {}) {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return code ?? signal
  })
  const stop = async () => {
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000)
    child.kill('SIGTERM')
    await ended
    clearTimeout(late)
  }
  running.set(child, stop)
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
    ask: async (message) => {
      child.send(message)
      const [answer] = await Promise.race([once(child, 'message'), failed])
      if (answer.error) throw new Error(answer.error)
      return answer
    },
    stop,
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

/**
 * Processor time of a process and its children so far, in seconds; NaN without /proc. The fields 14 and 15
 * of proc(5) are the ticks in user and kernel mode, 16 and 17 those of children that have ended. A tick is
 * 10 ms.
 */
export function cpuSeconds(pid) {
  try {
    return sumOf(pid, 'stat', (text) => {
      // The second field, the name, may have blanks.
      const ticks = text
        .replace(/^.*\) /s, '')
        .split(' ')
        .slice(11, 15)
      return ticks.reduce((sum, each) => sum + Number(each), 0) / 100
    })
  } catch {
    return Number.NaN
  }
}

/** Resident memory of a process and its children in MB. */
export function residentMb(pid) {
  return sumOf(pid, 'status', (text) => Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) / 1024)
}

function sumOf(pid, name, read) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  const own = read(readFileSync(`/proc/${pid}/${name}`, 'utf8'))
  return children.reduce((sum, child) => sum + sumOf(child, name, read), own)
}
