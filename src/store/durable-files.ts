// Files of the embedded database that survive a power loss. The package's own node file system never flushes: this one
// gives its `fsync` a body, for files and for directories. It refuses to forget a flush that failed.
import { closeSync, fdatasyncSync, fsyncSync, openSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The package's start parameters without `-F`, which turns flushing off. `fdatasync` never leaves WebAssembly there. */
export const durableStartParameters: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...[
    '-c',
    'fsync=on',
    '-c',
    'wal_sync_method=fsync',
    '-c',
    'synchronous_commit=on',
    '-c',
    'full_page_writes=on',
  ],
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

export class DurableFiles extends NodeFS {
  /** How many flushes were done: the tests' proof that a commit is on disk. */
  flushes = 0
  /** Why a flush failed, if one did. The kernel may have dropped the pages: nothing after it can be trusted. */
  failure: unknown

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const install = (module: { readonly NODEFS: NodeFiles }) => {
      module.NODEFS.stream_ops.fsync = (stream) => this.#flush(stream)
    }
    return await super.init(pglite, { ...options, preRun: [...(options.preRun ?? []), install] })
  }

  #flush(stream: Stream): number {
    try {
      fdatasyncSync(stream.nfd)
      this.flushes += 1
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

export function flushPath(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
