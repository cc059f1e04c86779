// What the folders know of traces. Without a collector there is no `Tracing`, and nothing is called.
import type { Send } from './http-client.js'

export interface Tracing {
  /** The W3C `traceparent` of what is under way; null: nothing is. */
  current(): string | null
  /**
   * Records `work` and passes on what it gives or throws. It stands below what is under way. Where
   * `traceparent` is of another trace it stands below that instead, with a link to what is under way.
   */
  span<Result>(name: string, traceparent: string | null, work: () => Promise<Result>): Promise<Result>
  /** Sends requests that are recorded and carry their `traceparent`. `peer` names the receiver. */
  send(peer: string): Send
}
