// Files of the embedded database that survive a power loss. The package's own node file system never flushes:
// this one gives its `fsync` a body, for files and for directories. It refuses to forget a flush that failed.
import { fdatasyncSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The package's own without `-F`, which turns flushing off. `fdatasync` never leaves WebAssembly. */
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
  /** Why a flush failed, if one did. The kernel may have dropped the pages: nothing after it is trusted. */
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
