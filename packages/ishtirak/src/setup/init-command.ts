// `ishtirak init production`: asks, writes the files, and prints the remaining steps.
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { type Answers, AnswersMissing, collectAnswers, type Flags, OPTIONS } from './answers.js'
import { layDown } from './lay-down.js'
import { nextSteps, productionFiles } from './production.js'

type Say = (text: string) => void

export function addInitCommand(program: Command, say: Say): void {
  const command = program
    .command('init')
    .description('Write the files that an installation needs')
    .command('production')
    .description('Write files that agree with each other. Asks for what no option says, and changes no file')
    .option('--dir <folder>', 'where they are written', 'production')
  for (const [flag, description] of OPTIONS) command.option(flag, description)
  command.action(async ({ dir, ...flags }: Flags & { readonly dir: string }) => {
    const folder = path.resolve(dir)
    const refuse = (problem: string) => command.error(`error: ${problem}`)
    if (!/^[\w./@+-]+$/.test(folder)) refuse('--dir must be a path of letters, digits and . _ - @ +')
    try {
      initProduction(folder, await answersFrom(flags, say, refuse), say)
    } catch (error) {
      if (error instanceof AnswersMissing) refuse(error.message)
      // A failed system call has a name; any other error is a bug.
      if (!(error instanceof Error && 'syscall' in error)) throw error
      refuse(`cannot write to ${folder}: ${error.message}. --dir names another folder`)
    }
  })
}

async function answersFrom(flags: Flags, say: Say, refuse: (problem: string) => void): Promise<Answers> {
  if (!process.stdin.isTTY) return collectAnswers(flags)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  // Ctrl-D ends the input.
  terminal.once('close', () => refuse('not all questions were answered'))
  try {
    return await collectAnswers(flags, (question) => terminal.question(question), say)
  } finally {
    terminal.removeAllListeners('close').close()
  }
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
    say('\nNothing was changed. A file that is removed is written anew; keep the one with the secrets.')
    process.exitCode = 1
  }
  if (laidDown.some(({ state }) => state === 'written')) say(nextSteps(answers, folder))
}
