// The service as a real process, for what only a process can show: being killed, restarted, locked out.
import { type ChildProcess, execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'

const root = path.resolve(import.meta.dirname, '../..')

export const PROGRAM = path.join(root, 'packages/ishtirak/dist/main/cli.js')

type End = number | NodeJS.Signals | null
export type ServiceProcess = Awaited<ReturnType<typeof startService>>

let isBuilt = false

/** Compiles the sources if they are newer than what was built: the process runs what a user would run. */
export function buildOnce(): void {
  const build = [path.join(root, 'scripts/build.mjs'), '--if-stale']
  if (!isBuilt) execFileSync(process.execPath, build, { stdio: 'inherit' })
  isBuilt = true
}

/** Starts `ishtirak serve` and resolves when it listens; rejects with what it printed when it ends before. */
export async function startService(env: Record<string, string>, program = PROGRAM) {
  const launched = launchService(env, [], program)
  return { ...launched, url: await launched.listening() }
}

export function launchService(
  env: Record<string, string>,
  /** A command that becomes the service's process, such as `strace -D`. */
  under: readonly string[] = [],
  program = PROGRAM,
) {
  const child = run(['serve'], env, under, program)
  const lines: string[] = []
  const ended = endOf(child)
  const url = new Promise<string>((resolve, reject) => {
    // Both are read to their end, always: a child whose pipe is full stands still.
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        const listening = /"url":"(http[^"]+)".*"message":"listening"/.exec(line)
        if (listening?.[1]) resolve(listening[1])
      })
    }
    ended.then((end) => reject(new Error(`ended with ${end}:\n${lines.join('\n')}`)), reject)
  })
  // Not every test awaits it, and an unhandled rejection would fail the run.
  url.catch(() => undefined)
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  const listening = () => url
  return { pid: child.pid ?? 0, lines, listening, ended: () => ended, kill }
}

type Ran = { code: End; output: string; errors: string }

export async function runCommand(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const child = run(args, env)
  const printed = { output: '', errors: '' }
  child.stdout?.on('data', (chunk: Buffer) => {
    printed.output += chunk.toString()
  })
  child.stderr?.on('data', (chunk: Buffer) => {
    printed.output += chunk.toString()
    printed.errors += chunk.toString()
  })
  return { code: await endOf(child), ...printed }
}

/** A command that runs until the test is over; what it prints comes line by line. */
export function startCommand(args: readonly string[], env: Record<string, string>) {
  const child = run(args, env)
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    if (stream) createInterface({ input: stream }).on('line', (line) => lines.push(line))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await endOf(child)
  })
  return { lines }
}

export type CommandHost = ReturnType<typeof hostCommands>

/** As `runCommand`, without a process for each: for those who ask for many, one after the other. */
export function hostCommands() {
  buildOnce()
  const { PATH = '', HOME = '' } = process.env
  const host = fork(path.join(import.meta.dirname, 'command-host.mjs'), { env: { PATH, HOME }, execArgv: [] })
  const failed = once(host, 'exit').then(([code]): never => {
    throw new Error(`the host of the commands ended with ${code}`)
  })
  failed.catch(() => undefined)
  return {
    run: async (words: readonly string[], env: Record<string, string>): Promise<Ran> => {
      const answered = once(host, 'message')
      host.send({ words, env: { PATH, HOME, ...env } })
      const [answer] = await Promise.race([answered, failed])
      return answer
    },
    close: () => host.kill('SIGKILL'),
  }
}

function run(
  args: readonly string[],
  env: Record<string, string>,
  under: readonly string[] = [],
  program = PROGRAM,
): ChildProcess {
  buildOnce()
  // Only what a process needs and what the test says: nothing of the machine's own configuration leaks in.
  const { PATH = '', HOME = '' } = process.env
  const [command = process.execPath, ...rest] = [...under, process.execPath, program, ...args]
  return spawn(command, rest, {
    // A stop that drains is waited for only where it is tested.
    env: { PATH, HOME, DRAIN_SECONDS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

async function endOf(child: ChildProcess): Promise<End> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  // `close` comes after the last line was read, `exit` may come before.
  const [code, signal] = await once(child, 'close')
  return code ?? signal
}
