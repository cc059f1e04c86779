// Hands one event to the function of a host that mounts the service.
import { inspect } from 'node:util'
import { plainText } from '../acts/cli-tables.js'
import type { HostEvent } from '../core/event.js'
import type { Log } from '../runtime/log.js'
import type { Tracing } from '../runtime/tracing.js'
import { type EventSender, noAnswer, SEND_MS, tracedSender } from './event-sender.js'

/** Where it throws or rejects, or takes more than 15 s, the event comes again. */
export type OnEvent = (event: HostEvent) => unknown

/** Stands where an address would. */
export const ON_EVENT = 'onEvent'

/** What the operator reads of it. */
const DETAIL_LENGTH_MAX = 200

export function createHostSender(
  onEvent: OnEvent,
  { log, tracing }: { readonly log: Log; readonly tracing?: Tracing | undefined },
): EventSender {
  const send: EventSender['send'] = async ({ id, body }) => {
    try {
      const isInTime = await endsInTime(async () => onEvent({ id, ...JSON.parse(body) }))
      return isInTime ? { kind: 'answer', status: 200 } : { kind: 'failure', detail: noAnswer(SEND_MS) }
    } catch (error) {
      log.error({ err: error, event_id: id }, 'onEvent failed')
      return { kind: 'failure', detail: `onEvent: ${textOf(error)}`.slice(0, DETAIL_LENGTH_MAX) }
    }
  }
  return tracedSender({ url: ON_EVENT, send }, tracing)
}

/** Of whatever was thrown, without characters that the database does not hold. */
function textOf(thrown: unknown): string {
  return plainText(thrown instanceof Error ? String(thrown) : inspect(thrown))
}

async function endsInTime(work: () => Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), SEND_MS)
  })
  return Promise.race([work().then(() => true), late]).finally(() => clearTimeout(timer))
}
