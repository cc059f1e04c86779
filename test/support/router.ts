// The router as a real program: HAProxy on the files that `ishtirak cells haproxy` writes.
import { spawn } from 'node:child_process'
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
interface CellOfFile {
  readonly name: string
  readonly parts: readonly string[]
  readonly servers: readonly string[]
  readonly standbys?: readonly string[]
}

export interface Router extends AsyncDisposable {
  readonly url: string
  /** All it has printed. */
  readonly lines: readonly string[]
  /** Resolves when the new process has taken over. */
  reload(cells?: readonly CellOfFile[]): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
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

/** What the master says of its processes; empty until it answers. A signal before that may be lost. */
async function askMaster(socket: string): Promise<string> {
  const connection = connect(socket)
  connection.end('show proc\n')
  return text(connection).catch(() => '')
}

export async function startRouter(
  cells: readonly CellOfFile[],
  trusted: readonly string[] = [],
): Promise<Router> {
  const folder = await mkdtemp(path.join(tmpdir(), 'router-'))
  const port = await freePort()
  const write = (of: readonly CellOfFile[]) => writeRouterFiles(folder, of, { port, trusted })
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }
  const masterSocket = path.join(folder, 'master.sock')
  const child = spawn('haproxy', ['-W', '-S', masterSocket, '-f', await write(cells)], { env })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  let reloads = 0
  const started = async () => {
    const isReady = async () => (await askMaster(masterSocket)).includes(` ${reloads} [failed: 0]`)
    await waitFor(
      async () => hasEnded() || (await isReady()),
      () => lines.join('\n'),
    )
    if (hasEnded()) throw new Error(lines.join('\n'))
  }
  await started()
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    reload: async (of = cells) => {
      await write(of)
      reloads += 1
      child.kill('SIGUSR2')
      await started()
    },
    kill,
    [Symbol.asyncDispose]: async () => {
      await kill('SIGTERM')
      await rm(folder, { recursive: true })
    },
  }
}
