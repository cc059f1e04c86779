// Speaks PostgreSQL's wire protocol with the embedded database: 4 times faster than its query() (measured),
// since a query is parsed once. Once an answer was incomplete or a flush failed, everything is
// `DatabaseUnavailable` until a new start recovers the folder.
import type { PGlite } from '@electric-sql/pglite'
import { DatabaseError as ServerRefusal, serialize } from 'pg-protocol'
import { type BackendMessage, DataRowMessage, RowDescriptionMessage } from 'pg-protocol/dist/messages.js'
import { Parser } from 'pg-protocol/dist/parser.js'
import { DatabaseUnavailable, type Parameter, type Row, type Statement } from '../database.js'
import { NamedQuery, type Readers } from '../named-query.js'
import { type DatabaseSession, translateError } from '../session.js'
import type { DurableFiles } from './durable-files.js'

export interface WireDeps {
  /** Awaited before each query. It lets the event loop turn if that is due. */
  pauseWhenDue(): Promise<void> | undefined
  /** The files of a folder, which know why a flush to disk failed, if one did. */
  readonly files?: Pick<DurableFiles, 'failure'>
  /** Called once if the database has failed (a full or broken disk). It is unavailable until a restart. */
  readonly onFailure?: ((cause: unknown) => void) | undefined
}

export class EmbeddedSession implements DatabaseSession {
  readonly #readers: Readers = new Map()
  /** Why nothing more is answered. */
  failure: unknown

  constructor(
    private readonly pglite: PGlite,
    private readonly deps: WireDeps,
  ) {}

  async query(statement: Statement, parameters: readonly Parameter[]): Promise<readonly Row[]> {
    const query = new NamedQuery(statement, parameters, this.#readers)
    await this.#send(query.message(), (message) => {
      if (message instanceof DataRowMessage) query.handleDataRow(message)
      else if (message instanceof RowDescriptionMessage) query.handleRowDescription(message)
    })
    return query.rows()
  }

  async script(sql: string): Promise<void> {
    await this.#send(serialize.query(sql))
    await this.#send(serialize.query('deallocate all'))
    this.#readers.clear()
  }

  async #send(bytes: Buffer, receive: (message: BackendMessage) => void = () => {}): Promise<void> {
    await this.deps.pauseWhenDue()
    this.#refuseAfterFailure()
    // The first error is the cause of those after it.
    let error: ServerRefusal | undefined
    let isComplete = false
    const parser = new Parser()
    // The streaming call, since execProtocolRaw keeps every answer for ever (pglite 0.5.16, pglite.ts
    // #currentQuery). The bytes are a window on the database's memory, which it writes over: copied.
    await this.pglite.execProtocolRawStream(bytes, {
      syncToFs: false,
      onRawData: (part) =>
        parser.parse(Buffer.from(part), (message) => {
          if (message instanceof ServerRefusal) error ??= message
          else if (message.name === 'readyForQuery') isComplete = true
          else receive(message)
        }),
    })
    const failure = this.deps.files?.failure
    // A panic (such as a full disk) ends an answer in the middle; the next query would hang for ever.
    if (failure !== undefined || !isComplete) {
      this.failure = failure ?? error ?? new Error('the answer was cut off')
      this.deps.onFailure?.(this.failure)
    }
    this.#refuseAfterFailure()
    if (error) throw translateError(error)
  }

  #refuseAfterFailure(): void {
    if (this.failure === undefined) return
    throw new DatabaseUnavailable('the embedded database has failed; restart it', { cause: this.failure })
  }
}
