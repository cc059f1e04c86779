// One POST of one event, as the sender of Chargily makes it: a connection of its own, no redirects followed, three
// seconds. It returns what happened and never throws: for a sender every failure is an outcome.
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'

export interface WebhookPost {
  readonly url: string
  readonly body: string
  readonly signature: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

export type AttemptResult =
  | { readonly status: number; readonly error: null }
  | { readonly status: null; readonly error: string }

export function postWebhook(post: WebhookPost): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve({ status: null, error: error.message })
    try {
      const request = open(post.url, optionsOf(post))
      // Of the whole exchange: a receiver that answers byte by byte is late too.
      const timer = setTimeout(() => request.destroy(new NoAnswer(post.timeoutMs)), post.timeoutMs)
      request.on('close', () => clearTimeout(timer))
      request.on('error', failed)
      request.on('response', (response) => {
        // The answer's body means nothing to the sender, but it must be read for the connection to end.
        response.resume()
        response.on('error', failed)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, error: null }))
      })
      request.end(post.body)
    } catch (error) {
      // An address that Node refuses to dial is as undeliverable as one where nobody answers.
      failed(error instanceof Error ? error : new TypeError(String(error)))
    }
  })
}

class NoAnswer extends Error {
  override name = 'NoAnswer'

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs} ms`)
  }
}

function open(url: string, options: RequestOptions): ClientRequest {
  return url.startsWith('https:') ? httpsRequest(url, options) : httpRequest(url, options)
}

function optionsOf({ body, signature, signal }: WebhookPost): RequestOptions {
  return {
    method: 'POST',
    // No pool: a receiver that restarts must not meet a connection of its former life.
    agent: false,
    signal,
    headers: {
      'User-Agent': 'GuzzleHttp/7',
      'Content-Type': 'application/json',
      ...(signature !== null && { Signature: signature }),
      'Content-Length': Buffer.byteLength(body),
    },
  }
}
