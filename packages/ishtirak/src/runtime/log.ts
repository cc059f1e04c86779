// The log: JSON lines on standard output, one list of fields that never appear in it in clear.
// It decides nothing about what is worth a line; the callers do.
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Instant } from '../core/instant.js'
import type { Clock } from './clock.js'

export type Log = Logger

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields that are replaced wherever they stand in the first three levels of a line. */
export const REDACTED_FIELDS = [
  'authorization',
  'cookie',
  'set-cookie',
  'signature',
  'webhook-signature',
  'secret',
  'secretKey',
  'secret_key',
  'apiKey',
  'api_key',
  'key',
  'keys',
  'token',
  'password',
  'email',
  'account',
] as const

export function createLog(options: { level: LogLevel; destination?: DestinationStream }): Log {
  return pino(
    {
      level: options.level,
      messageKey: 'message',
      errorKey: 'error',
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err },
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_FIELDS.flatMap(pathsOf), censor: '[redacted]' },
    },
    options.destination ?? pino.destination({ dest: 1, sync: false }),
  )
}

/** For a host's log, else standard output, written at once: nothing waits for the end of the process. */
export function lineByLine(write?: (line: string) => void): DestinationStream {
  return write ? { write } : pino.destination({ dest: 1, sync: true })
}

/** Each wildcard costs time on every line: three levels hold a request's and an error's headers. */
function pathsOf(field: string): string[] {
  const quoted = `["${field}"]`
  return [quoted, `*${quoted}`, `*.*${quoted}`]
}

/** Calls `write` at most once in `everyMs`, with how many times it was not called since. */
export function throttled<About>(
  clock: Clock,
  everyMs: number,
  write: (about: About, leftOut: number) => void,
): (about: About) => void {
  let writtenAt: Instant | null = null
  let leftOut = 0
  return (about) => {
    const now = clock.now()
    // A clock that went back does not silence it until it has caught up.
    if (writtenAt !== null && writtenAt <= now && now < writtenAt + everyMs) {
      leftOut += 1
      return
    }
    write(about, leftOut)
    writtenAt = now
    leftOut = 0
  }
}

/** What the use cases count. `main/metrics.ts` says under which name each figure is published. */
export type Occurrence =
  | { readonly name: 'settlement'; readonly outcome: string }
  | {
      readonly name: 'provider_event'
      readonly result: 'accepted' | 'duplicate' | 'invalid_signature' | 'malformed'
    }
  | { readonly name: 'checkout_opened' }
  | { readonly name: 'mail'; readonly outcome: string }
  /** An operator has said something of a transfer. */
  | { readonly name: 'transfer'; readonly act: 'approve' | 'refuse' }
  | {
      readonly name: 'event_delivery'
      readonly outcome: 'delivered' | 'failed' | 'endpoint_disabled'
    }
  /** The reconciliation with the provider found what only one side has. */
  | { readonly name: 'discrepancy'; readonly kind: string; readonly outcome: string }

export type Count = (what: Occurrence) => void
