// The router as a real program: HAProxy on the files that `ishtirak cells haproxy` writes.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { routerFiles } from '../../packages/ishtirak/src/cells/haproxy.js'
import { parseCells } from '../../packages/ishtirak/src/runtime/cells.js'
import { freePort } from './free-port.js'
import { waitFor } from './wait-for.js'

/** As CELLS_FILE has it. */
export interface CellOfFile {
  readonly name: string
  readonly parts: readonly string[]
  readonly servers: readonly string[]
  readonly standbys?: readonly string[]
}

export interface Router extends AsyncDisposable {
  readonly url: string
  /** Of the files it runs on. */
  readonly folder: string
  /** Of the master, which reloads by SIGUSR2. */
  readonly pid: number
  /** All it has printed. */
  readonly lines: readonly string[]
  /** Resolves when the new process has taken over. */
  reload(cells?: readonly CellOfFile[]): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
  /** Again, on the same port and files. */
  start(): Promise<void>
}

interface RouterOptions {
  readonly trusted?: readonly string[]
  /** Writes the files and gives the one to start with. */
  readonly write?: typeof writeRouterFiles
}

/** The cookie of the portal's sessions at http://127.0.0.1. */
const SESSION_COOKIE = 'ishtirak'

export async function writeRouterFiles(
  folder: string,
  cells: readonly CellOfFile[],
  { port = 80, trusted = [] }: { readonly port?: number; readonly trusted?: readonly string[] } = {},
): Promise<string> {
  const own = { bind: `127.0.0.1:${port}`, trusted, socket: path.join(folder, 'admin.sock') }
  const files = routerFiles(parseCells(JSON.stringify({ cells })), { ...own, sessionCookie: SESSION_COOKIE })
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), asWhoRuns(text))
  return path.join(folder, 'haproxy.cfg')
}

/** Who is not root can become no other user. */
function asWhoRuns(text: string): string {
  return process.getuid?.() === 0 ? text : text.replace(/^ {2}(user|group|chroot) .*\n/gm, '')
}

/** How often it has reloaded; null until the master answers. A signal before that may be lost. */
async function reloadsOf(socket: string): Promise<number | null> {
  const connection = connect(socket)
  connection.end('show proc\n')
  const shown = await text(connection).catch(() => '')
  const [, reloads] = / (\d+) \[failed: 0\]/.exec(shown) ?? []
  return reloads === undefined ? null : Number(reloads)
}

export async function startRouter(
  cells: readonly CellOfFile[],
  { trusted = [], write = writeRouterFiles }: RouterOptions = {},
): Promise<Router> {
  const folder = await mkdtemp(path.join(tmpdir(), 'router-'))
  const port = await freePort()
  const file = await write(folder, cells, { port, trusted })
  const masterSocket = path.join(folder, 'master.sock')
  const lines: string[] = []
  let child = launch(file, masterSocket, lines)
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const started = async (reloads: number) => {
    await waitFor(
      async () => hasEnded() || (await reloadsOf(masterSocket)) === reloads,
      () => lines.join('\n'),
    )
    if (hasEnded()) throw new Error(lines.join('\n'))
  }
  await started(0)
  const kill = async (signal: NodeJS.Signals) => {
    if (hasEnded()) return
    const ended = once(child, 'close')
    child.kill(signal)
    await ended
  }
  return {
    url: `http://127.0.0.1:${port}`,
    folder,
    get pid() {
      return child.pid ?? 0
    },
    lines,
    reload: async (of = cells) => {
      await write(folder, of, { port, trusted })
      const reloads = (await reloadsOf(masterSocket)) ?? 0
      child.kill('SIGUSR2')
      await started(reloads + 1)
    },
    kill,
    start: async () => {
      child = launch(file, masterSocket, lines)
      await started(0)
    },
    [Symbol.asyncDispose]: async () => {
      await kill('SIGTERM')
      await rm(folder, { recursive: true })
    },
  }
}

function launch(file: string, masterSocket: string, lines: string[]): ChildProcess {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const child = spawn('haproxy', ['-W', '-S', masterSocket, '-f', file], { env })
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  return child
}
