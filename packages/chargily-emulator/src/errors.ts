// The two ways to be refused: wrong use by the program that started the emulator, and an API call that the
// real service would refuse too.
import type { JsonObject } from './php-json.js'

/** Wrong options, an unreadable state file, an unknown fault: told to the program, never sent over the wire. */
export class EmulatorError extends Error {
  override name = 'EmulatorError'
}

/** An API call refused the way Laravel refuses: a status and `{message, errors?}`. */
export class ApiRefusal extends Error {
  override name = 'ApiRefusal'

  constructor(
    readonly status: number,
    readonly body: JsonObject,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`refused with ${status}`)
  }
}

export const notFound = () => new ApiRefusal(404, { message: 'Not Found.' })
