// Rounds become a table: medians of ratios with their spread, since a ratio of one round has had the same
// neighbours.
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const artifacts = fileURLToPath(new URL('../../artifacts/', import.meta.url))

export function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** `rounds`: [{ours, other}], each what the driver gave with `cpuMicros`, the processor time of a request. */
export function summarize(rounds) {
  const ratios = rounds.map(({ ours, other }) => ours.perSecond / other.perSecond)
  const middle = (side, name) => median(rounds.map((round) => round[side][name]))
  const side = (name) => ({
    perSecond: Math.round(middle(name, 'perSecond')),
    p99: middle(name, 'p99'),
    cpuMicros: Math.round(middle(name, 'cpuMicros')),
    driverBusy: Number(middle(name, 'driverBusy').toFixed(2)),
  })
  return {
    ratio: round2(median(ratios)),
    lowest: round2(Math.min(...ratios)),
    highest: round2(Math.max(...ratios)),
    ours: side('ours'),
    other: side('other'),
  }
}

export const round2 = (value) => Number(value.toFixed(2))

export function printTable(head, rows) {
  const lines = [head, head.map(() => '---'), ...rows]
  for (const line of lines) console.log(`| ${line.join(' | ')} |`)
}

/** The table's row of a comparison. */
export function rowOf({ name, against, target, summary: { ratio, lowest, highest, ours, other } }) {
  const verdict = target === undefined ? '' : ratio >= target ? `≥ ${target}` : `**below ${target}**`
  return [
    name,
    against,
    `${ratio} (${lowest}–${highest})`,
    verdict,
    `${ours.perSecond} / ${other.perSecond}`,
    `${ours.cpuMicros} / ${other.cpuMicros}`,
    `${ours.p99} / ${other.p99}`,
    `${ours.driverBusy} / ${other.driverBusy}`,
  ]
}

export const HEAD = [
  'path',
  'against',
  'ratio (lowest–highest)',
  'aim',
  'a second, ours / other',
  'processor µs each',
  'p99 ms',
  'driver busy',
]

/** Gives the file's path. */
export function save(name, result) {
  mkdirSync(artifacts, { recursive: true })
  const file = path.join(artifacts, `${name}-${new Date().toISOString().replace(/[:.]/g, '-')}.json`)
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  return file
}
