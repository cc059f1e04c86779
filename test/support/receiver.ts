// The hosting platform's side of the events, on real HTTP.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PlatformEvent } from '../../packages/ishtirak/src/core/event.js'

/** 32 bytes each, base64. */
export const SECRET = `whsec_${'A'.repeat(42)}A=`
export const OLD_SECRET = `whsec_${'B'.repeat(42)}A=`

export interface Received {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly event: PlatformEvent
}

/** A number is the status to answer; a function writes the response itself. */
export type Behaviour = number | ((response: ServerResponse, received: Received) => void)

export class Receiver {
  readonly received: Received[] = []
  /** The heads of the sealed books, which are about no user. */
  readonly heads: { readonly id: string; readonly event: { readonly data: object } }[] = []
  headStatus = 204
  behave: (received: Received) => Behaviour = () => 204
  #server: Server | undefined
  #port = 0

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    await receiver.listen()
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/events?from=ishtirak`
  }

  get variables() {
    return { EVENTS_URL: this.url, EVENTS_SECRETS: SECRET, EVENTS_ALLOW_PRIVATE: 'true' }
  }

  get port(): number {
    return this.#port
  }

  async listen(): Promise<void> {
    const server = createServer(async (request, response) => {
      const raw = await text(request).catch(() => null)
      // The sender died.
      if (raw === null) return
      const id = String(request.headers['webhook-id'])
      const received = { id, headers: request.headers, raw, event: JSON.parse(raw) }
      if (received.event.type === ('books.sealed' as string)) {
        this.heads.push(received)
        return void response.writeHead(this.headStatus).end()
      }
      this.received.push(received)
      const behaviour = this.behave(received)
      if (typeof behaviour === 'function') behaviour(response, received)
      else response.writeHead(behaviour).end()
    })
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    // A listening TCP server has an address with a port.
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  async goDown(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (!server) return
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }

  /** What was accepted or not, as `user:sequence:type`, in the order of arrival. */
  get story(): string[] {
    return this.received.map(({ event }) => `${event.data.user_id}:${event.data.sequence}:${event.type}`)
  }

  sequencesOf(userId: string): number[] {
    const events = this.received.map(({ event: { data } }) => data)
    return events.filter(({ user_id }) => user_id === userId).map(({ sequence }) => sequence)
  }
}
