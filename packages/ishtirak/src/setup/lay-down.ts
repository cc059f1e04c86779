// Writes the missing files. An existing file is never changed: the details say how it differs, without any
// secret.
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import type { ProductionFile } from './production.js'

const FILLED_IN = 'set here '

export function layDown(folder: string, file: ProductionFile) {
  const { name, text, isSecret } = file
  const target = path.join(folder, name)
  if (!existsSync(target)) {
    write(target, file)
    return { name, state: 'written', details: [] }
  }
  const found = readFileSync(target, 'utf8')
  const details = found === text ? [] : differences(found, file)
  // Variables that init leaves empty are for the operator to fill in.
  const isFilledIn = isSecret && details.every((line) => line.startsWith(FILLED_IN))
  return { name, state: found === text || isFilledIn ? 'unchanged' : 'differs', details }
}

/** Writes the file completely or not at all. Fails if another process has made it meanwhile. */
function write(target: string, { text, isSecret }: ProductionFile): void {
  const unfinished = `${target}.${process.pid}.unfinished`
  mkdirSync(path.dirname(target), { recursive: true })
  try {
    writeFileSync(unfinished, text, { flag: 'wx', mode: isSecret ? 0o600 : 0o644, flush: true })
    linkSync(unfinished, target)
  } finally {
    rmSync(unfinished, { force: true })
  }
}

function differences(found: string, { name, text, isSecret }: ProductionFile): readonly string[] {
  if (!isSecret) return [...linesOfOne(found, text, 'is      '), ...linesOfOne(text, found, 'would be')]
  if (name.endsWith('.sql')) return ['another password']
  const [is, wouldBe] = [parseEnv(found), parseEnv(text)]
  const names = Object.keys({ ...wouldBe, ...is }).filter((one) => (is[one] || '') !== (wouldBe[one] || ''))
  const shown = (one: string, value = '') =>
    `${one}=${/SECRET|KEY|PASSWORD|DATABASE_URL/.test(one) ? '(not shown)' : value || '(empty)'}`
  return names.flatMap((one) =>
    wouldBe[one]
      ? [`is       ${shown(one, is[one])}`, `would be ${shown(one, wouldBe[one])}`]
      : [`${FILLED_IN}${one}`],
  )
}

function linesOfOne(one: string, other: string, words: string): readonly string[] {
  const others = new Set(other.split('\n'))
  return one.split('\n').flatMap((line) => (others.has(line) ? [] : [`${words} ${line}`]))
}
