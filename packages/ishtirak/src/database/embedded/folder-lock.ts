// One process per data folder: two embedded databases on one folder destroy it silently (measured: half of 4,000
// acknowledged writes were gone). Node cannot lock a file, so the kernel's word is had from a socket in the folder:
// whoever can be connected to is alive, in whatever container, and a killed process cannot be. It trusts no process
// ids, refuses file systems that hold no sockets, and does not see other machines: the folder belongs on a local disk.
//
// Taking over from the dead must be safe when many try at once, so the names are numbered, `lock.1`, `lock.2`, … and
// only grow: the highest number is the lock. Making the next name (a hard link to one's own listening socket) is
// exclusive; the winner removes the lower ones; the highest name stays when its holder goes.
import { linkSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  askHolder,
  codeOf,
  type FolderLock,
  type Holder,
  listenInside,
  listenOnPipe,
} from './folder-socket.js'

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

/** Takes the folder, which must exist, until `release` or the end of the process. Throws `DataFolderLocked`. */
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
      // Somebody else moved in between; each round of this means that another one got further.
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
    if (holder !== 'dead') throw new DataFolderLocked(folder, holder === 'silent' ? undefined : holder)
  }
  const mine = highest + 1
  if (!tryLink(claimPath, join(folder, `lock.${mine}`))) return false
  // Whoever looked long ago may make a low name after it was removed; a higher one was there then, and is seen here.
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
  const lock = await listenOnPipe(folder)
  if (lock === 'dead' || lock === 'gone') return await lockByPipe(folder)
  if (lock === 'silent' || 'processId' in lock) {
    throw new DataFolderLocked(folder, lock === 'silent' ? undefined : lock)
  }
  return lock
}
