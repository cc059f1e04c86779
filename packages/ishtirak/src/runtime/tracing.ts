// The interface to traces for all folders. Without a collector there is no `Tracing`, and nothing is called.
import type { Send } from './http-client.js'

export interface Tracing {
  /** The W3C `traceparent` of the running span; null: none. */
  current(): string | null
  /**
   * Records `work` as a child of the running span, and returns or throws what it does. If `traceparent`
   * belongs to another trace, the span is a child of that instead, with a link to the running one.
   */
  span<Result>(name: string, traceparent: string | null, work: () => Promise<Result>): Promise<Result>
  /** Sends requests that are recorded and carry their `traceparent`. `peer` names the receiver. */
  send(peer: string): Send
}
