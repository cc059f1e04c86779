// Makes the files of the embedded database survive a power loss. The package's own file system never flushes:
// this one implements its `fsync`, for files and folders. After a failed flush it refuses everything.
import { fdatasyncSync } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'

/** The package's own parameters without `-F`, which turns flushing off. WebAssembly ignores `fdatasync`. */
export const durableStartParameters: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['fsync=on', 'wal_sync_method=fsync', 'synchronous_commit=on', 'full_page_writes=on'].flatMap(
    (setting) => ['-c', setting],
  ),
]

/** A stream of emscripten's NODEFS: `nfd` is the real file descriptor. */
interface Stream {
  readonly nfd: number
}

interface NodeFiles {
  readonly stream_ops: { fsync?: (stream: Stream) => number }
}

/** WASI's number for EIO. The database reacts as PostgreSQL does: it stops at once. */
const inputOutputError = 29

/** Flushes an open file to the disk. Throws if the disk cannot. */
export type Flush = (descriptor: number) => void

export class DurableFiles extends NodeFS {
  /** Why a flush failed, if one did. The kernel may have dropped pages, so later writes are not trusted. */
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
