// One process per data folder: two embedded databases on one folder destroy it silently (measured: half of
// 4,000 acknowledged writes were gone). Node cannot lock a file, so the kernel's word is had from a socket in
// the folder: a process that can be connected to is alive, in whatever container, and a killed process cannot
// be. It trusts no process ids, refuses file systems that hold no sockets, and does not see other machines:
// the folder belongs on a local disk.
//
// Taking over from the dead must be safe when many try at once, so the names are numbered, `lock.1`,
// `lock.2`, … and only grow: the highest number is the lock. Making the next name (a hard link to one's own
// listening socket) is exclusive; the winner removes the lower ones; the highest name stays when its holder
// goes.
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { json } from 'node:stream/consumers'

export interface FolderLock {
  release(): Promise<void>
}

interface Holder {
  /** As the holder sees itself: from another container it may be another number. */
  readonly processId: number
  /** ISO 8601, when it came to the folder. */
  readonly since: string
}

/** Another process works on this data folder. */
export class DataFolderLocked extends Error {
  override readonly name = 'DataFolderLocked'
  constructor(
    readonly folder: string,
    /** Who holds it, in its own words; undefined if it was too busy to answer. */
    readonly holder: Holder | undefined,
  ) {
    const who = holder === undefined ? 'another process' : `process ${holder.processId} since ${holder.since}`
    super(`the data folder ${folder} is in use by ${who}`)
  }
}

/** The data folder cannot be locked, so it must not be used. */
export class DataFolderUnusable extends Error {
  override readonly name = 'DataFolderUnusable'
}

export class DataFolderFull extends Error {
  override readonly name = 'DataFolderFull'
  constructor(folder: string, cause: unknown) {
    const { bavail, bsize } = statfsSync(folder)
    const freeMb = Math.floor((bavail * bsize) / 2 ** 20)
    super(
      `the disk of ${folder} is full: ${freeMb} MB are free, and a new database takes ${NEW_DATABASE_MB}`,
      {
        cause,
      },
    )
  }
}

/** Measured, after a first start. */
const NEW_DATABASE_MB = 26

/** Takes the folder, which must exist, until `release` or the process ends. Throws `DataFolderLocked`. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  try {
    return process.platform === 'win32' ? await lockByPipe(folder) : await lockBySocket(folder)
  } catch (error) {
    if (error instanceof DataFolderLocked) throw error
    throw new DataFolderUnusable(`the data folder ${folder} cannot be locked: ${error}`, { cause: error })
  }
}

async function lockBySocket(folder: string): Promise<FolderLock> {
  const claim = await listenInside(folder)
  try {
    while (!(await tryNext(folder, claim.path))) {
      // Another process moved in between; each round of this means that one of them got further.
    }
    return claim
  } catch (error) {
    await claim.release()
    throw error
  } finally {
    // The lock's own name is enough; this one would stay behind after a kill.
    rmSync(claim.path, { force: true })
  }
}

/** One try to make the next name. False: look again. */
async function tryNext(folder: string, claimPath: string): Promise<boolean> {
  const highest = Math.max(0, ...lockNumbers(folder))
  if (highest > 0) {
    const holder = await askHolder(folder, `lock.${highest}`)
    if (holder === 'gone') return false
    if (holder !== 'dead') throw lockedBy(folder, holder)
  }
  const mine = highest + 1
  if (!tryLink(claimPath, join(folder, `lock.${mine}`))) return false
  // A process that looked long ago may make a low name after its removal; the higher one is seen here.
  if (lockNumbers(folder).some((number) => number > mine)) return false
  for (const number of lockNumbers(folder)) {
    if (number < mine) rmSync(join(folder, `lock.${number}`), { force: true })
  }
  return true
}

function lockNumbers(folder: string): number[] {
  return readdirSync(folder)
    .filter((name) => /^lock\.\d+$/.test(name))
    .map((name) => Number(name.slice('lock.'.length)))
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** Windows: a pipe's name belongs to one listener at a time, and goes with it. */
async function lockByPipe(folder: string): Promise<FolderLock> {
  const hash = createHash('sha256').update(folder.toLowerCase()).digest('hex')
  const path = `\\\\.\\pipe\\ishtirak-${hash}`
  try {
    const server = await listen(path)
    return { release: () => close(server) }
  } catch (error) {
    if (codeOf(error) === 'EADDRINUSE') throw lockedBy(folder, await ask(path))
    throw error
  }
}

function lockedBy(folder: string, holder: Holder | string): DataFolderLocked {
  return new DataFolderLocked(folder, typeof holder === 'string' ? undefined : holder)
}

/** A holder that listens but does not speak is alive and busy. */
const answerTimeoutMs = 1_000

/** A listening socket in the folder, under a name of its own. */
async function listenInside(folder: string): Promise<FolderLock & { readonly path: string }> {
  const name = `claim-${randomUUID()}`
  const directory = openSync(folder, 'r')
  try {
    const server = await listen(shortPath(folder, directory, name))
    let released: Promise<void> | undefined
    const release = () => {
      // The directory last: the socket's path goes through it, and closing the socket unlinks that path. And
      // once only: afterwards the descriptor's number may be another file's.
      released ??= close(server).finally(() => closeSync(directory))
      return released
    }
    return { path: join(folder, name), release }
  } catch (error) {
    closeSync(directory)
    throw error
  }
}

/** `dead`: its process has ended. `gone`: there is no such name. `silent`: alive, or in any doubt. */
async function askHolder(folder: string, name: string): Promise<Holder | 'dead' | 'gone' | 'silent'> {
  const directory = openSync(folder, 'r')
  try {
    return await ask(shortPath(folder, directory, name))
  } finally {
    closeSync(directory)
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

async function listen(path: string): Promise<Server> {
  const since = new Date(performance.timeOrigin + performance.now()).toISOString()
  const answer = JSON.stringify({ processId: process.pid, since } satisfies Holder)
  const server = createServer((socket) => {
    // The one that asks may be gone before the answer is.
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

/** A path has at most 107 bytes on Linux, 103 on macOS (sockaddr_un). Linux's may begin at a directory. */
function shortPath(folder: string, directory: number, name: string): string {
  if (process.platform === 'linux') return `/proc/self/fd/${directory}/${name}`
  const [absolute, fromHere] = [join(folder, name), relative(process.cwd(), join(folder, name))]
  return fromHere.length < absolute.length ? fromHere : absolute
}
