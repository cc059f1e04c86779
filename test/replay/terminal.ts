// One shell for a page, so that a command can use what another one sets. The replay has ports of its own.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../support/free-port.js'
import { PROGRAM, startService } from '../support/process.js'

const root = path.resolve(import.meta.dirname, '../..')
const FROZEN_CLOCK = path.join(import.meta.dirname, 'frozen-clock.mjs')

export interface Terminal {
  type(command: string): Promise<string>
  /** Moves the sandbox's clock, so that what comes next is newer than what was before. */
  passSecond(): Promise<void>
  close(): Promise<void>
}

export async function openTerminal(startAt: string, env: Record<string, string>): Promise<Terminal> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ishtirak-replay-'))
  const [service, sandbox] = [String(await freePort()), String(await freePort())]
  const all = {
    ...env,
    PORT: service,
    SANDBOX_PORT: sandbox,
    METRICS_PORT: String(await freePort()),
    DATA_DIR: folder,
    FROZEN_AT: startAt,
    NODE_OPTIONS: `--import=${FROZEN_CLOCK}`,
  }
  const running = await startService(all)
  const shell = openShell(all)
  await shell.run(`npx() { shift; '${process.execPath}' '${PROGRAM}' "$@"; }`)
  const ofReplay = (text: string) =>
    text.replaceAll(':3000', `:${service}`).replaceAll(':3001', `:${sandbox}`)
  const ofPage = (text: string) => text.replaceAll(`:${service}`, ':3000').replaceAll(`:${sandbox}`, ':3001')
  return {
    type: async (command) => ofPage(await shell.run(ofReplay(command))),
    passSecond: () => passSecond(sandbox),
    close: async () => {
      shell.end()
      await running.kill('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function passSecond(sandboxPort: string): Promise<void> {
  await fetch(`http://127.0.0.1:${sandboxPort}/_sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance_seconds: 1 }),
  })
}

function openShell(env: Record<string, string>) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn('bash', ['--noprofile', '--norc'], {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let runs = 0
  return {
    run: async (command: string) => {
      // Behind a line of its own, also where the output does not end with one.
      const mark = `--- end of run ${++runs} ---`
      child.stdin.write(`{ ${command}\n} 2>&1 < /dev/null; printf '\\n%s\\n' '${mark}'\n`)
      let output = ''
      for (;;) {
        const { value, done } = await lines.next()
        if (done) throw new Error(`the shell ended in: ${command}\n${output}`)
        if (value === mark) return output.replace(/\n+$/, '\n').replace(/^\n$/, '')
        output += `${value}\n`
      }
    },
    end: () => child.stdin.end(),
  }
}
