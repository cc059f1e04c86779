// A change that is given up must not be carried out later, also when it lies in the receive buffer of a server that hangs.
// So every change carries its deadline, by the server's clock: past it the server refuses to begin, and until then it is
// the statement's time limit.
import type { ClientBase } from 'pg'
import { serialize } from 'pg-protocol'

/**
 * The server gives up this much before the caller does. Its refusal then still arrives, and the connection stays usable;
 * and clocks that are not being set drift apart less while a connection lasts.
 */
const MARGIN_MS = 250

/** Milliseconds since 1970 by the clock of the server, beside the same instant on the scale of `performance.now()`. */
const offsets = new WeakMap<ClientBase, number>()

/** Call it when the answer has just come: the time that it took makes deadlines earlier, never later. */
export function noteServerTime(client: ClientBase, serverTimeMs: number): void {
  offsets.set(client, serverTimeMs - performance.now())
}

/** By the server's clock; null: there is none, or the clocks were never compared. */
export function serverDeadline(client: ClientBase, giveUpAt: number): number | null {
  const offset = offsets.get(client)
  return offset === undefined || giveUpAt === Number.POSITIVE_INFINITY
    ? null
    : Math.floor(offset + giveUpAt - MARGIN_MS)
}

/** Whether there is time enough left to send anything at all. */
export function isTooLateToSend(giveUpAt: number): boolean {
  return performance.now() >= giveUpAt - MARGIN_MS
}

// A negative time limit is refused (SQLSTATE 22023), and with it everything up to the end of the transaction. Zero would
// mean no limit.
const limitUntil = (deadline: string) =>
  `set_config('statement_timeout',
     coalesce(nullif(floor(${deadline} - extract(epoch from clock_timestamp()) * 1000), 0), -1)::int::text, true)`

/** For a change: until when, by the server's clock, it may be begun and has to be done. */
export interface Deadline {
  readonly serverMs: number
  /** On each connection of our own; a pooler would not know it. */
  readonly isPrepared: boolean
}

const NAME = 'ishtirak_deadline'
const TEXT = `select ${limitUntil('$1::numeric')}`
export const prepareDeadline = `prepare ${NAME}(numeric) as ${TEXT}`

/** Goes ahead of the change. */
export function deadlineMessages({ serverMs, isPrepared }: Deadline): Buffer[] {
  const parse = isPrepared ? [] : [serialize.parse({ text: TEXT })]
  const bind = serialize.bind({ statement: isPrepared ? NAME : '', values: [String(serverMs)] })
  return [...parse, bind, serialize.execute()]
}

/** As a command of its own: ahead of a commit. */
export const deadlineCommand = (deadline: number) => `select ${limitUntil(String(deadline))};`
