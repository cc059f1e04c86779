// One process per data folder: two embedded databases on one folder destroy it silently (measured: half of
// 4,000 acknowledged writes were gone). Node cannot lock a file, but the kernel knows who listens on a socket
// in the folder: a process that can be connected to is alive, in whatever container, and a killed process
// cannot be. It does not see other machines: the folder belongs on a local disk.
//
// Taking over from the dead must be safe when many try at once. So the names are numbered, `lock.1`,
// `lock.2`, … and only grow: the highest is the lock. Making the next name (a hard link to the own listening
// socket) is exclusive; the winner removes the lower ones. The highest name stays when its holder goes.
import { hash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, linkSync, openSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { DataFolderUnusable } from './cluster-folder.js'

export class DataFolderLocked extends Error {
  override readonly name = 'DataFolderLocked'
  constructor(folder: string, answer: unknown) {
    // A holder that is too busy does not answer with its number.
    const holder = /^\d+$/.test(`${answer}`) ? `process ${answer}` : 'another process'
    super(`the data folder ${folder} is in use by ${holder}`)
  }
}

/** Locks the folder until the returned function is called or the process ends. Throws `DataFolderLocked`. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const server = createServer((socket) => {
    // The process that asks may be gone before the answer.
    socket.on('error', () => socket.destroy()).end(String(process.pid), () => socket.destroy())
  })
  const release = async () => {
    if (server.listening) await once(server.close(), 'close')
  }
  // Windows: a pipe's name belongs to one listener at a time, and goes with it.
  const pipe = `\\\\.\\pipe\\ishtirak-${hash('sha256', folder.toLowerCase())}`
  try {
    await (process.platform === 'win32' ? listen(server, pipe) : takeName(server, folder))
    return release
  } catch (error) {
    await release()
    if (codeOf(error) === 'EADDRINUSE') throw new DataFolderLocked(folder, await ask(pipe))
    throw error instanceof DataFolderLocked ? error : new DataFolderUnusable(folder, error)
  }
}

async function takeName(server: Server, folder: string): Promise<void> {
  const claim = `claim-${randomUUID()}`
  const directory = openSync(folder, 'r')
  // A path has at most 107 bytes on Linux, 103 on macOS (sockaddr_un). Linux's may begin at a directory.
  const shortPath = (name: string) =>
    process.platform === 'linux'
      ? `/proc/self/fd/${directory}/${name}`
      : relative(process.cwd(), join(folder, name))
  try {
    await listen(server, shortPath(claim))
    while (!(await createNextName(folder, claim, shortPath)));
  } finally {
    // The lock's own name is enough. This one would remain after a kill.
    rmSync(join(folder, claim), { force: true })
    closeSync(directory)
  }
}

/** One attempt. False: another process moved in between, so one of them got further. */
async function createNextName(folder: string, claim: string, shortPath: (name: string) => string) {
  const highest = Math.max(0, ...lockNumbers(folder))
  const answer = highest > 0 ? await ask(shortPath(`lock.${highest}`)) : 'ECONNREFUSED'
  if (answer === 'ENOENT') return false
  // ENOTSOCK: what lies there came with a copy of the folder, and never listened. In any doubt it is alive.
  if (answer !== 'ECONNREFUSED' && answer !== 'ENOTSOCK') throw new DataFolderLocked(folder, answer)
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

/** The lock does not keep a process alive that has nothing else to do. */
const listen = (server: Server, path: string) => once(server.listen(path).unref(), 'listening')

/** Returns the holder's process id, or an error's code. A holder that does not answer in a second is busy. */
function ask(path: string): Promise<unknown> {
  const socket = connect(path)
  socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')))
  return text(socket).catch(codeOf)
}
