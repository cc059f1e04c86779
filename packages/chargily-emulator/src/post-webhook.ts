// One POST of one event as Chargily's sender makes it: a connection of its own, no redirects. It never
// throws: every failure is a result.
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

export type AttemptResult =
  | { readonly status: number; readonly error: null }
  | { readonly status: null; readonly error: string }

export function postWebhook(post: {
  readonly url: string
  readonly body: string
  readonly signature: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
}): Promise<AttemptResult> {
  const { url, body, signature, timeoutMs, signal } = post
  const headers = {
    'User-Agent': 'GuzzleHttp/7',
    'Content-Type': 'application/json',
    ...(signature !== null && { Signature: signature }),
    'Content-Length': Buffer.byteLength(body),
  }
  const open = url.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: null, error: error.message })
    try {
      // No pool: a receiver that restarts must not meet a stale connection.
      const request = open(url, { method: 'POST', agent: false, signal, headers })
      // Of the whole exchange: a receiver that answers byte by byte is late too.
      const noAnswer = () => request.destroy(new Error(`no answer within ${timeoutMs} ms`))
      const timer = setTimeout(noAnswer, timeoutMs)
      request.on('close', () => clearTimeout(timer))
      request.on('error', fail)
      request.on('response', (response) => {
        // The body is ignored, but must be read for the connection to end.
        response.resume()
        response.on('error', fail)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, error: null }))
      })
      request.end(body)
    } catch (error) {
      // Node throws for addresses that it cannot request at all.
      fail(error instanceof Error ? error : new TypeError(String(error)))
    }
  })
}
