// Where and when a figure was taken: without it a figure is worth nothing.
import { execFileSync } from 'node:child_process'
import { cpus, loadavg, release, totalmem } from 'node:os'

export function describeMachine() {
  const processors = cpus()
  return {
    processor: processors[0]?.model ?? 'unknown',
    processors: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
    commit: commit(),
    startedAt: new Date().toISOString(),
  }
}

/** Runnable processes: above the number of processors, other programs distort the figures. */
export const load = () => Number(loadavg()[0]?.toFixed(1))

function commit() {
  if (process.env.BENCH_COMMIT) return process.env.BENCH_COMMIT
  const git = (...args) =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const isChanged = git('status', '--porcelain', 'packages') !== ''
    return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' and changes' : ''}`
  } catch {
    return 'not in a repository'
  }
}
