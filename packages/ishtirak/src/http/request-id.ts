// What a request is called in answers and in the log.
import type { IncomingHttpHeaders } from 'node:http'
import { randomToken } from '../runtime/secret.js'

const thisProcess = randomToken(9)
let requests = 0

/** The caller's id where it is harmless in a log and a header, else one of ours. */
export function requestIdOf(request: { readonly headers: IncomingHttpHeaders }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : newRequestId()
}

/** The process and a running number: nobody need fail to guess it, and a random one for each cost 7 µs of the 40 of a small answer. */
export function newRequestId(): string {
  requests += 1
  return `${thisProcess}-${requests.toString(36)}`
}
