// The two kinds of errors: wrong use of the emulator by a program, and API calls that Chargily refuses too.
import type { JsonObject } from './php-json.js'

/**
 * Wrong options, an unreadable state file, an unknown fault or id. Thrown to the program, never sent over
 * HTTP.
 */
export class EmulatorError extends Error {
  override name = 'EmulatorError'
}

/** Answered as Laravel answers: a status and `{message, errors?}`. */
export class ApiError extends Error {
  override name = 'ApiError'

  constructor(
    readonly status: number,
    readonly body: JsonObject,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`answered ${status}`)
  }
}

export const notFound = () => new ApiError(404, { message: 'Not Found.' })
