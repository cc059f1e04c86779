// `ishtirak init production`: asks, writes, and says what is left to do.
import { existsSync, mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type Answers, AnswersMissing, collectAnswers, type Flags, QUESTIONS } from './answers.js'
import { type LaidDown, layDown, readVariables } from './lay-down.js'
import { checkoutAbove, nextSteps } from './next-steps.js'
import { environmentName, productionFiles } from './production.js'

export function addInitCommand(program: Command, say: (text: string) => void): void {
  const command = program
    .command('init')
    .description('Write the files that an installation needs')
    .command('production')
    .description(
      'Write environment, systemd unit or compose, nginx or Caddy, and alerts that agree with each other. ' +
        'Asks for what no option says. Nothing that is there is changed: a second run says what differs',
    )
    .option('--dir <folder>', 'where they are written', 'production')
  for (const { flag, asks, otherwise } of QUESTIONS)
    command.option(flag, otherwise ? `${asks} (default: ${otherwise})` : asks)
  command.action(async ({ dir, ...flags }: Flags & { readonly dir: string }) => {
    const folder = path.resolve(dir)
    try {
      await initProduction(folder, await answersFrom(flags, say), say)
    } catch (error) {
      command.error(`error: ${explain(error, folder)}`)
    }
  })
}

async function answersFrom(flags: Flags, say: (text: string) => void): Promise<Answers> {
  if (!process.stdin.isTTY) return collectAnswers(flags)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl-D: no further answer comes.
  const ended = new Promise<never>((_, reject) =>
    terminal.once('close', () => reject(new AnswersMissing('not all questions were answered'))),
  )
  ended.catch(() => undefined)
  try {
    return await collectAnswers(flags, (question) => Promise.race([terminal.question(question), ended]), say)
  } finally {
    terminal.close()
  }
}

async function initProduction(folder: string, answers: Answers, say: (text: string) => void): Promise<void> {
  if (/\p{Cc}/u.test(folder)) throw new AnswersMissing('--dir must be a path without control characters')
  const environment = path.join(folder, environmentName(answers))
  const isFirst = !existsSync(environment)
  const files = productionFiles(answers, folder, readVariables(environment))
  const laidDown = layDown(folder, files)
  if (answers.service === 'compose') mkdirSync(path.join(folder, 'documents'), { recursive: true })
  say(`${folder}:`)
  for (const one of laidDown) say(lineOf(one))
  for (const warning of await warnings(answers, folder, isFirst)) say(`warning: ${warning}`)
  if (laidDown.some(({ state }) => state === 'differs')) {
    say('\nNothing was changed. A file that is removed is written anew; keep the one with the secrets.')
    process.exitCode = 1
  }
  if (isFirst) say(nextSteps(answers, folder))
}

function lineOf({ name, state, details }: LaidDown): string {
  if (state === 'filled in') return `  unchanged  ${name}, but for what was filled in: ${details.join(', ')}`
  return [`  ${state.padEnd(9)}  ${name}`, ...details.map((line) => `      ${line}`)].join('\n')
}

async function warnings(answers: Answers, folder: string, isFirst: boolean): Promise<readonly string[]> {
  const checkout = checkoutAbove(folder)
  const { service, port, metricsPort } = answers
  // On a later run the service itself has its ports.
  const wanted = !isFirst ? [] : service === 'systemd' ? [port, metricsPort] : [80, 443]
  const taken: string[] = []
  for (const one of wanted) {
    if (!(await isTaken(one))) continue
    const remedy = one === port ? '--port' : one === metricsPort ? '--metrics-port' : ''
    taken.push(`port ${one} is taken on this machine${remedy && `; ${remedy} names another`}`)
  }
  return [
    ...(checkout === null
      ? []
      : [`${folder} lies in the git checkout ${checkout}: keep ${environmentName(answers)} out of commits`]),
    ...taken,
  ]
}

/** A port that this user may not listen on is not known to be taken. */
function isTaken(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(false)))
  })
}

const FOLDER_PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the disk is mounted read-only',
  ENOTDIR: 'a file stands where a folder is needed',
  EEXIST: 'a file stands where a folder is needed',
  EISDIR: 'a folder stands where a file is needed',
  ENOSPC: 'the disk is full',
}

/** A bug is thrown again. */
function explain(error: unknown, folder: string): string {
  if (error instanceof AnswersMissing) return error.message
  const problem = error instanceof Error && 'code' in error ? FOLDER_PROBLEMS[String(error.code)] : undefined
  if (problem === undefined) throw error
  return `${folder}: ${problem}. --dir names another folder`
}
