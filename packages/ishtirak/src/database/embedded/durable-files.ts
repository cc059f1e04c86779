// Files of the embedded database that survive a power loss. The package's own node file system never flushes: this one
// gives its `fsync` a body, for files and for directories. It refuses to forget a flush that failed.
import { closeSync, fdatasyncSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The package's start parameters without `-F`, which turns flushing off. `fdatasync` never leaves WebAssembly there. */
export const durableStartParameters: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['fsync=on', 'wal_sync_method=fsync', 'synchronous_commit=on', 'full_page_writes=on'].flatMap(
    (setting) => ['-c', setting],
  ),
]

/** As emscripten's NODEFS hands it to its operations: `nfd` is the real file descriptor. */
interface Stream {
  readonly nfd: number
}

interface NodeFiles {
  readonly stream_ops: { fsync?: (stream: Stream) => number }
}

/** WASI's number for EIO, which the database answers as PostgreSQL does: it stops at once. */
const inputOutputError = 29

/** Brings what was written to an open file onto the disk; throws when the disk cannot. */
export type Flush = (descriptor: number) => void

export class DurableFiles extends NodeFS {
  /** Why a flush failed, if one did. The kernel may have dropped the pages: nothing after it can be trusted. */
  failure: unknown

  constructor(
    folder: string,
    private readonly flush: Flush = fdatasyncSync,
  ) {
    super(folder)
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const install = (module: { readonly NODEFS: NodeFiles }) => {
      module.NODEFS.stream_ops.fsync = (stream) => this.#flushStream(stream)
    }
    return await super.init(pglite, { ...options, preRun: [...(options.preRun ?? []), install] })
  }

  #flushStream(stream: Stream): number {
    try {
      this.flush(stream.nfd)
      return 0
    } catch (error) {
      this.failure ??= error
      return inputOutputError
    }
  }
}

/** Flushes a folder and everything in it: for a database that was just created, before it gets its name. */
export function flushTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) flushTree(path)
    else if (entry.isFile()) flushPath(path)
  }
  flushPath(folder)
}

/** Flushes one file, or the names in one folder. */
export function flushPath(path: string): void {
  const isFolder = statSync(path).isDirectory()
  // Windows opens no folders, and flushes only what is open for writing.
  if (isFolder && process.platform === 'win32') return
  const descriptor = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Makes a folder and those above it that are missing, with their names on disk. */
export function makeFolder(path: string): void {
  const first = mkdirSync(path, { recursive: true })
  if (first === undefined) return
  for (let made = path; made.length >= first.length; made = dirname(made)) flushPath(dirname(made))
}
