// One process per data folder: two embedded databases on one folder destroy it silently (measured: half of
// 4,000 acknowledged writes were gone). Node cannot lock a file, so the kernel's word is had from a socket in
// the folder: a process that can be connected to is alive, in whatever container, and a killed process cannot
// be. It does not see other machines: the folder belongs on a local disk.
//
// Taking over from the dead must be safe when many try at once, so the names are numbered, `lock.1`,
// `lock.2`, … and only grow: the highest number is the lock. Making the next name (a hard link to one's own
// listening socket) is exclusive; the winner removes the lower ones; the highest name stays when its holder
// goes.
import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'

/** Another process uses this data folder. */
export class DataFolderLocked extends Error {
  override readonly name = 'DataFolderLocked'
  constructor(
    folder: string,
    /** The number that the holder sees itself; empty if it was too busy to answer. */
    readonly processId: string,
  ) {
    super(`the data folder ${folder} is in use by ${processId ? `process ${processId}` : 'another process'}`)
  }
}

/** The data folder cannot be made, written to or locked. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable'
  constructor(folder: string, cause: unknown) {
    super(
      `the data folder ${folder} cannot be used: ${cause}. ` +
        'Give it to this user, on a disk of this machine, or set DATA_DIR to another folder.',
      { cause },
    )
  }
}

/**
 * Locks the folder, which must exist, until the returned function is called or the process ends. Throws
 * `DataFolderLocked`.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    // The process that asks may be gone before the answer.
    socket.on('error', () => socket.destroy()).end(String(process.pid), () => socket.destroy())
  })
  const release = async () => {
    if (server.listening) await once(server.close(), 'close')
  }
  try {
    await (process.platform === 'win32' ? takePipe(server, folder) : takeSocket(server, folder))
    return release
  } catch (error) {
    await release()
    throw error instanceof DataFolderLocked ? error : new DataFolderUnusable(folder, error)
  }
}

/** Windows: a pipe's name belongs to one listener at a time, and goes with it. */
async function takePipe(server: Server, folder: string): Promise<void> {
  const pipe = `\\\\.\\pipe\\ishtirak-${hash('sha256', folder.toLowerCase())}`
  try {
    await listen(server, pipe)
  } catch (error) {
    throw codeOf(error) === 'EADDRINUSE'
      ? new DataFolderLocked(folder, await ask(pipe).catch(() => ''))
      : error
  }
}

async function takeSocket(server: Server, folder: string): Promise<void> {
  const claim = `claim-${randomUUID()}`
  const directory = openSync(folder, 'r')
  try {
    await listen(server, shortPath(folder, directory, claim))
    while (!(await createNextName(folder, directory, claim)));
  } finally {
    // The lock's own name is enough. This one would remain after a kill.
    rmSync(join(folder, claim), { force: true })
    closeSync(directory)
  }
}

/** One attempt. False: another process moved in between, so one of them got further. */
async function createNextName(folder: string, directory: number, claim: string): Promise<boolean> {
  const highest = Math.max(0, ...lockNumbers(folder))
  if (highest > 0) {
    const answer = await ask(shortPath(folder, directory, `lock.${highest}`)).catch(codeOf)
    if (answer === 'ENOENT') return false
    // ENOTSOCK: what lies there came with a copy of the folder, and never listened. In any doubt it is alive.
    if (answer !== 'ECONNREFUSED' && answer !== 'ENOTSOCK')
      throw new DataFolderLocked(folder, /^\d+$/.exec(`${answer}`)?.[0] ?? '')
  }
  const mine = highest + 1
  try {
    linkSync(join(folder, claim), join(folder, `lock.${mine}`))
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  const numbers = lockNumbers(folder)
  // A process that read the folder long ago may create a low name after its removal. The higher one shows it.
  if (numbers.some((number) => number > mine)) return false
  for (const number of numbers) if (number < mine) rmSync(join(folder, `lock.${number}`), { force: true })
  return true
}

function lockNumbers(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice(5))] : []))
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** A path has at most 107 bytes on Linux, 103 on macOS (sockaddr_un). Linux's may begin at a directory. */
function shortPath(folder: string, directory: number, name: string): string {
  if (process.platform === 'linux') return `/proc/self/fd/${directory}/${name}`
  const [absolute, fromHere] = [join(folder, name), relative(process.cwd(), join(folder, name))]
  return fromHere.length < absolute.length ? fromHere : absolute
}

/** The lock does not keep a process alive that has nothing else to do. */
const listen = (server: Server, path: string) => once(server.listen(path).unref(), 'listening')

/** The holder's process id. A holder that listens but does not answer within a second is alive and busy. */
function ask(path: string): Promise<string> {
  const socket = connect(path)
  socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')))
  return text(socket)
}
