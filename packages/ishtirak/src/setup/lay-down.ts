// Writes the files that are missing and says of each other one whether it is the same: nothing that is there
// is ever changed, and no secret is shown.
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import type { ProductionFile } from './production.js'

/** What became of one file. */
export interface LaidDown {
  readonly name: string
  readonly state: 'written' | 'unchanged' | 'filled in' | 'differs'
  /** Of one that differs: `is` and `would be` of its lines. Of one that was filled in: variables. */
  readonly details: readonly string[]
}

export function readVariables(file: string): Readonly<Record<string, string>> {
  // Every value that it gives is a text: a name that is not there is no member.
  return existsSync(file) ? (parseEnv(readFileSync(file, 'utf8')) as Record<string, string>) : {}
}

export function layDown(folder: string, files: readonly ProductionFile[]): readonly LaidDown[] {
  mkdirSync(folder, { recursive: true })
  return files.map((file) => {
    const target = path.join(folder, file.name)
    if (existsSync(target)) return compare(target, file)
    mkdirSync(path.dirname(target), { recursive: true })
    write(target, file)
    return { name: file.name, state: 'written', details: [] }
  })
}

/** Whole or not at all. A file that another process has made meanwhile stays as it is. */
function write(target: string, { text, isSecret }: ProductionFile): void {
  const unfinished = `${target}.${process.pid}.unfinished`
  try {
    writeFileSync(unfinished, text, { flag: 'wx', mode: isSecret ? 0o600 : 0o644, flush: true })
    linkSync(unfinished, target)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function compare(target: string, file: ProductionFile): LaidDown {
  const { name, text } = file
  const found = readFileSync(target, 'utf8')
  if (found === text) return { name, state: 'unchanged', details: [] }
  if (!file.isSecret) return { name, state: 'differs', details: differingLines(found, text) }
  // What is no file of variables has a single secret line.
  if (name.endsWith('.sql')) return { name, state: 'differs', details: ['another password'] }
  return compareVariables(name, parseEnv(found), parseEnv(text))
}

type Read = ReturnType<typeof parseEnv>

/** Variables that init leaves empty belong to the seller and to whoever runs it. */
function compareVariables(name: string, found: Read, expected: Read): LaidDown {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])]
  const others = names.filter((one) => (found[one] ?? '') !== (expected[one] ?? ''))
  const filled = others.filter((one) => !expected[one])
  const differing = others.filter((one) => expected[one])
  if (differing.length === 0) return { name, state: 'filled in', details: filled }
  const shown = (one: string, value = '') => (SHOWN.has(one) ? value || '(empty)' : '(not shown)')
  const details = differing.flatMap((one) => [
    `is       ${one}=${shown(one, found[one])}`,
    `would be ${one}=${shown(one, expected[one])}`,
  ])
  return { name, state: 'differs', details: [...details, ...filled.map((one) => `set here ${one}`)] }
}

/** That hold no secret; of all others only the name is said. */
const SHOWN = new Set([
  ...[
    'NODE_ENV',
    'HOST',
    'PORT',
    'METRICS_PORT',
    'TRUSTED_PROXIES',
    'PUBLIC_URL',
    'PLATFORM_URL',
    'DATA_DIR',
  ],
  ...['AUTH_JWKS_URL', 'EVENTS_URL', 'COMPOSE_PROJECT_NAME', 'COMPOSE_FILE', 'BILLING_DOMAIN'],
])

/** Lines that only one side has. */
function differingLines(found: string, expected: string): readonly string[] {
  const [ours, theirs] = [expected.split('\n'), found.split('\n')]
  const only = (lines: readonly string[], others: readonly string[], word: string) =>
    lines.filter((line) => !others.includes(line)).map((line) => `${word} ${line}`)
  const lines = [...only(theirs, ours, 'is      '), ...only(ours, theirs, 'would be')]
  return lines.length > 0 ? lines : ['the same lines in another order']
}
