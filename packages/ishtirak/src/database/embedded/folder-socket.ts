// The sockets of the folder lock: one listens for as long as its process lives, and says who it is to all who ask.
// It decides nothing; what an answer means is folder-lock's business.
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { json } from 'node:stream/consumers'

export interface Holder {
  /** As the holder sees itself: from another container it may be another number. */
  readonly processId: number
  /** ISO 8601, when it came to the folder. */
  readonly since: string
}

export interface FolderLock {
  release(): Promise<void>
}

/** A holder that listens but does not speak is alive and busy. */
const answerTimeoutMs = 1_000

/** A listening socket in the folder, under a name that nobody else uses. */
export async function listenInside(folder: string): Promise<FolderLock & { readonly path: string }> {
  const name = `claim-${randomUUID()}`
  const directory = openSync(folder, 'r')
  try {
    const server = await listen(shortPath(folder, directory, name))
    let released: Promise<void> | undefined
    const release = () => {
      // The directory last: the socket's path goes through it, and closing the socket unlinks that path. And once only:
      // afterwards the descriptor's number may be another file's.
      released ??= close(server).finally(() => closeSync(directory))
      return released
    }
    return { path: join(folder, name), release }
  } catch (error) {
    closeSync(directory)
    throw error
  }
}

/**
 * Asks the socket `name` in the folder. `dead`: nobody listens any more. `gone`: there is no such name. `silent`: alive,
 * and any doubt counts as alive, since only the dead may be robbed.
 */
export async function askHolder(folder: string, name: string): Promise<Holder | 'dead' | 'gone' | 'silent'> {
  const directory = openSync(folder, 'r')
  try {
    return await ask(shortPath(folder, directory, name))
  } finally {
    closeSync(directory)
  }
}

/** Windows: the lock, or who has it. */
export async function listenOnPipe(
  folder: string,
): Promise<FolderLock | Awaited<ReturnType<typeof askHolder>>> {
  const hash = createHash('sha256').update(folder.toLowerCase()).digest('hex')
  const path = `\\\\.\\pipe\\ishtirak-${hash}`
  try {
    const server = await listen(path)
    return { release: () => close(server) }
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE') throw error
    return await ask(path)
  }
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

async function listen(path: string): Promise<Server> {
  const since = new Date(performance.timeOrigin + performance.now()).toISOString()
  const answer = JSON.stringify({ processId: process.pid, since } satisfies Holder)
  const server = createServer((socket) => {
    // Whoever asks may be gone before the answer is.
    socket.on('error', () => socket.destroy())
    socket.end(answer, () => socket.destroy())
  })
  server.listen(path)
  await once(server, 'listening')
  // The lock must not keep a process alive that has nothing else to do.
  return server.unref()
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  server.close()
  await once(server, 'close')
}

async function ask(path: string): Promise<Holder | 'dead' | 'gone' | 'silent'> {
  const socket = connect(path)
  try {
    socket.setTimeout(answerTimeoutMs, () => socket.destroy(new Error('no answer')))
    await once(socket, 'connect')
    const answer = await json(socket)
    return isHolder(answer) ? answer : 'silent'
  } catch (error) {
    const code = codeOf(error)
    // ENOTSOCK: what lies there came with a copy of the folder, and never listened.
    if (code === 'ECONNREFUSED' || code === 'ENOTSOCK') return 'dead'
    return code === 'ENOENT' ? 'gone' : 'silent'
  } finally {
    socket.destroy()
  }
}

function isHolder(answer: unknown): answer is Holder {
  return typeof answer === 'object' && answer !== null && 'processId' in answer && 'since' in answer
}

/**
 * A socket's path has at most 107 bytes on Linux, 103 on macOS (sockaddr_un), folders' are longer. Linux lets a path
 * begin at an open directory; elsewhere the shorter of the two ways to say it must do.
 */
function shortPath(folder: string, directory: number, name: string): string {
  if (process.platform === 'linux') return `/proc/self/fd/${directory}/${name}`
  const [absolute, fromHere] = [join(folder, name), relative(process.cwd(), join(folder, name))]
  return fromHere.length < absolute.length ? fromHere : absolute
}
