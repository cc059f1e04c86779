// `ishtirak init production`: writes the missing files of an installation, and prints the remaining steps.
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import type { Command } from 'commander'
import { type Answers, AnswersMissing, answersIn, type Flags, OPTIONS } from './answers.js'
import { nextSteps, type ProductionFile, productionFiles } from './production.js'

type Say = (text: string) => void

export function addInitCommand(program: Command, say: Say): void {
  const command = program
    .command('init')
    .description('Write the files that an installation needs')
    .command('production')
    .description('Write files that agree with each other. Changes no file that is there')
    .option('--dir <folder>', 'where they are written', 'production')
  for (const [flag, description] of OPTIONS) command.option(flag, description)
  command.action(({ dir, ...flags }: Flags & { readonly dir: string }) => {
    const folder = path.resolve(dir)
    const refuse = (problem: string) => command.error(`error: ${problem}`)
    if (!/^[\w./@+-]+$/.test(folder)) refuse('--dir must be a path of letters, digits and . _ - @ +')
    try {
      initProduction(folder, answersIn(flags), say)
    } catch (error) {
      if (error instanceof AnswersMissing) refuse(error.message)
      // A failed system call has a name; any other error is a bug.
      if (!(error instanceof Error && 'syscall' in error)) throw error
      refuse(`cannot write to ${folder}: ${error.message}. --dir names another folder`)
    }
  })
}

function initProduction(folder: string, answers: Answers, say: Say): void {
  const laidDown = productionFiles(answers, folder).map((file) => layDown(folder, file))
  if (answers.service === 'compose') mkdirSync(path.join(folder, 'documents'), { recursive: true })
  say(`${folder}:`)
  for (const { name, state, details } of laidDown)
    say([`  ${state.padEnd(9)}  ${name}`, ...details.map((line) => `      ${line}`)].join('\n'))
  for (let at = folder; at !== '/'; at = path.dirname(at))
    if (existsSync(path.join(at, '.git')))
      say(`warning: ${folder} lies in the git checkout ${at}: keep its secrets out of commits`)
  if (laidDown.some(({ state }) => state === 'differs')) {
    say('\nNo file was changed. Remove one to have it written anew, but keep the one with the secrets.')
    process.exitCode = 1
  }
  if (laidDown.some(({ state }) => state === 'written')) say(nextSteps(answers, folder))
}

const FILLED_IN = 'set here '

/**
 * Writes the file if it is missing. An existing file is never changed: the details say how it differs,
 * without any secret.
 */
function layDown(folder: string, file: ProductionFile) {
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
