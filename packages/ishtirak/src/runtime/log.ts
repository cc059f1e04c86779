// The log: JSON lines on standard output, with one list of fields that are never shown in clear text.
import { type DestinationStream, type Logger, pino } from 'pino'
import type { Instant } from '../core/instant.js'
import type { Clock } from './clock.js'

export type Log = Logger

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Fields that are redacted in the first three levels of a line. */
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

/** Writes to a host's log, or to standard output at once, so that the end of the process loses nothing. */
export function lineByLine(write?: (line: string) => void): DestinationStream {
  return write ? { write } : pino.destination({ dest: 1, sync: true })
}

/** Each wildcard costs time on every line. Three levels include the headers of a request and of an error. */
function pathsOf(field: string): string[] {
  const quoted = `["${field}"]`
  return [quoted, `*${quoted}`, `*.*${quoted}`]
}

/** Calls `write` at most once in `everyMs`, with the number of skipped calls since. */
export function throttled<About>(
  clock: Clock,
  everyMs: number,
  write: (about: About, leftOut: number) => void,
): (about: About) => void {
  let writtenAt: Instant | null = null
  let leftOut = 0
  return (about) => {
    const now = clock.now()
    // A clock that was set back does not silence it until the old time is reached.
    if (writtenAt !== null && writtenAt <= now && now < writtenAt + everyMs) {
      leftOut += 1
      return
    }
    write(about, leftOut)
    writtenAt = now
    leftOut = 0
  }
}
