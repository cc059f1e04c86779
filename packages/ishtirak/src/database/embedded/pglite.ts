// PostgreSQL inside the process, in memory or in a folder, for installations without a server. It flushes
// every commit, locks its folder, and does the housekeeping that a server does by itself.
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { DatabaseUnavailable, givenUpAfter, statement } from '../database.js'
import { plannerSettings, SessionDatabase, type Use, withRetries } from '../session.js'
import {
  clusterPaths,
  DataFolderDamaged,
  DataFolderUnusable,
  diskFull,
  isNew,
  markIfNew,
} from './cluster-folder.js'
import { DurableFiles, durableStartParameters, type Flush } from './durable-files.js'
import { flushPath, flushTree, makeFolder } from './flush.js'
import { lockFolder } from './folder-lock.js'
import { readyMadeDump, unpackReadyMade } from './ready-made.js'
import { EmbeddedSession, type WireDeps } from './wire-protocol.js'

type Schema = Pick<FolderOptions, 'schema'>

/** A database that is lost when it is closed. `from` is another one's folder as a tar file. */
export async function openMemory(from?: Blob, options: Schema = {}): Promise<EmbeddedDatabase> {
  const startParams = [...PGlite.defaultStartParams, ...settingsOf(options)]
  const first = from ?? (isReadyMade(options) ? await readyMadeDump() : undefined)
  return new EmbeddedDatabase(await PGlite.create({ startParams, ...(first && { loadDataDir: first }) }))
}

/** The tables of a ready-made cluster are this program's, and in the schema `public`. */
const isReadyMade = ({ schema, isBare }: Pick<FolderOptions, 'schema' | 'isBare'>) =>
  schema === undefined && !isBare

export interface FolderOptions extends Pick<WireDeps, 'onFailure'> {
  /** The schema of all statements; `public` by default. */
  readonly schema?: string
  /** A new database has no tables yet: a backup of an older schema is restored into it. */
  readonly isBare?: boolean
  /** How a commit is flushed. Tests count flushes and make them fail. */
  readonly flush?: Flush
}

/** Opens a database, or creates one in an empty folder. Throws `DataFolderLocked`, `DataFolderDamaged`. */
export async function openFolder(dataDir: string, options: FolderOptions = {}): Promise<EmbeddedDatabase> {
  const folder = resolve(dataDir)
  try {
    makeFolder(folder)
    markIfNew(folder)
  } catch (error) {
    throw new DataFolderUnusable(folder, error)
  }
  const release = await lockFolder(folder)
  try {
    if (isNew(folder)) await createCluster(folder, options)
    const { cluster } = clusterPaths(folder)
    const files = new DurableFiles(cluster, options.flush)
    const pglite = await startOn(files, options).catch((cause: unknown) => {
      if (isDiskFull(cause)) throw cause
      const what = `the database in ${cluster} is damaged: PostgreSQL does not start on it (${cause})`
      throw new DataFolderDamaged(what, { cause })
    })
    return new EmbeddedDatabase(pglite, { files, onFailure: options.onFailure }, release)
  } catch (error) {
    await release()
    throw isDiskFull(error) ? new Error(diskFull(folder), { cause: error }) : error
  }
}

const isDiskFull = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOSPC'

/** Created and flushed under another name first, so that a partial one does not look like a database. */
async function createCluster(folder: string, options: FolderOptions): Promise<void> {
  const { cluster, unfinished } = clusterPaths(folder)
  // Emptied but not removed: its name says that there has been no database yet.
  for (const name of readdirSync(unfinished)) rmSync(join(unfinished, name), { recursive: true })
  if (!isReadyMade(options) || !(await unpackReadyMade(unfinished))) {
    // Runs PostgreSQL's own `initdb`.
    await (await startOn(new DurableFiles(unfinished), {})).close()
    flushTree(unfinished)
  }
  renameSync(unfinished, cluster)
  flushPath(folder)
}

function startOn(fs: DurableFiles, options: Schema): Promise<PGlite> {
  return PGlite.create({ fs, startParams: [...durableStartParameters, ...settingsOf(options)] })
}

function settingsOf({ schema }: Schema): string[] {
  // PostgreSQL's own 128 MB of buffers are touched at the start, and WebAssembly gives no memory back.
  const settings = [...plannerSettings, 'shared_buffers=32MB']
  return [...settings, ...(schema ? [`search_path=${schema}`] : [])].flatMap((setting) => ['-c', setting])
}

/**
 * Only tables that grew. A table without statistics is read by its index. For one that was analysed while
 * empty, the planner keeps plans that later scan all of it (test/plans/plans.system.test.ts).
 */
const selectGrownTables = statement(
  'pglite.grown_tables',
  `select string_agg(oid::regclass::text, ', ') as tables from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and pg_relation_size(oid) >= 10 * current_setting('block_size')::int`,
)

export class EmbeddedDatabase extends SessionDatabase {
  readonly kind = 'pglite'
  readonly #queue = new StatementQueue()
  readonly #session: EmbeddedSession

  constructor(
    private readonly pglite: PGlite,
    folder: Pick<WireDeps, 'files' | 'onFailure'> = {},
    private readonly release = async () => {},
  ) {
    super()
    const pauseWhenDue = () => this.#queue.pauseWhenDue()
    this.#session = new EmbeddedSession(pglite, { pauseWhenDue, ...folder })
  }

  protected withSession<Result>(use: Use<Result>, giveUpAt: number): Promise<Result> {
    return this.#queue.run(() => withRetries(() => use(this.#session)), giveUpAt)
  }

  /**
   * Checkpoint, vacuum and statistics, which nothing else does: without them the log grew from 17 to 81 MB in
   * 200,000 writes (measured). All other calls wait meanwhile, so a job does it.
   */
  async maintain(): Promise<void> {
    const [row] = await this.query(selectGrownTables)
    const tables = row?.tables
    for (const command of ['checkpoint', ...(tables ? [`vacuum (analyze) ${tables}`] : [])]) {
      await this.#queue.run(() => this.#session.script(command), Number.POSITIVE_INFINITY)
    }
  }

  async close(): Promise<void> {
    await this.#queue.close()
    // After a failure the shutdown would hang; the next start recovers, as after a power cut.
    if (!this.#session.failure && !this.pglite.closed) await this.pglite.close()
    await this.release()
  }
}

/** Slices of 4 ms: with 3,000 calls at once, the event loop was late by 7 ms instead of 524 ms (measured). */
const sliceMs = 4

/** About half a second of statements. Calls that share a statement wait elsewhere and count as one here. */
const waitingMax = 5_000

/**
 * Runs one statement at a time in order of arrival, because there is a single connection. A long queue is
 * worked off in slices, between which the process serves its sockets. It is bounded in number and time.
 */
export class StatementQueue {
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  /** When the first statement of this turn of the event loop began. */
  #sliceStart: number | undefined
  #isClosing = false

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Runs `work` after all earlier work. If that takes until `giveUpAt`, it never runs. */
  run<Result>(work: () => Promise<Result>, giveUpAt = givenUpAfter()): Promise<Result> {
    if (this.#isClosing) return Promise.reject(new DatabaseUnavailable('the database is closed'))
    if (this.#waiting >= waitingMax)
      return Promise.reject(new DatabaseUnavailable(`${waitingMax} calls are waiting`))
    this.#waiting += 1
    const result = this.#last.then(() => {
      if (performance.now() >= giveUpAt) throw new DatabaseUnavailable('given up before its turn came')
      return work()
    })
    this.#last = result.catch(() => undefined).then(() => this.#waiting--)
    return result
  }

  /**
   * Must be awaited before each statement. It lets the event loop turn when the slice is used up, also for a
   * single caller that sends one statement after the other.
   */
  pauseWhenDue(): Promise<void> | undefined {
    if (this.#sliceStart === undefined) {
      this.#sliceStart = this.now()
      setImmediate(() => {
        this.#sliceStart = undefined
      })
      return undefined
    }
    if (this.now() - this.#sliceStart < sliceMs) return undefined
    return turn()
  }

  /** Refuses new work, and resolves when the waiting work is done. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#last
  }
}
