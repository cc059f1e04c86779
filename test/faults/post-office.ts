// Brings events to the webhook, many at once and some twice, and remembers what was promised: an answer of 200 means
// "booked", for ever. Whatever was answered otherwise, or not at all, comes again, as the provider's retries do.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { inParallel, type Sale } from './sales.js'

/** `none`: the connection was refused, cut, or silent. */
export type Outcome = number | 'none'

export class PostOffice {
  /** Sales whose event was answered 200 at least once. */
  readonly answered = new Set<Sale>()
  /** Sales whose event left here at least once. */
  readonly posted = new Set<Sale>()
  /** How often which answer was given. */
  readonly outcomes = new Map<Outcome, number>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  slowestMs = 0

  /** Posts them all, `atOnce` at a time. `onPost` is told before each letter leaves, `onAnswer` after each 200. */
  async bring(
    url: string,
    sales: readonly Sale[],
    options: { readonly atOnce: number; readonly onPost?: () => void; readonly onAnswer?: () => void },
  ): Promise<Outcome[]> {
    return await inParallel(sales, options.atOnce, async (sale) => {
      options.onPost?.()
      const outcome = await this.bringOne(url, sale)
      if (outcome === 200) options.onAnswer?.()
      return outcome
    })
  }

  async bringOne(url: string, sale: Sale): Promise<Outcome> {
    this.posted.add(sale)
    const before = performance.now()
    const outcome = await this.#post(`${url}/api/v1/billing/webhook`, sale)
    this.slowestMs = Math.max(this.slowestMs, performance.now() - before)
    if (outcome === 200) this.answered.add(sale)
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    return outcome
  }

  close(): void {
    this.#agent.destroy()
  }

  async #post(url: string, { body, signature }: Sale): Promise<Outcome> {
    const headers = { 'content-type': 'application/json', signature }
    const call = request(url, { method: 'POST', agent: this.#agent, headers, timeout: NO_ANSWER_MS })
    call.on('timeout', () => call.destroy())
    try {
      call.end(body)
      const [response] = await once(call, 'response')
      response.resume()
      await once(response, 'end')
      return response.statusCode
    } catch {
      // Every failure to answer is one outcome here: the sender cannot know what became of its event.
      return 'none'
    }
  }
}

/** Longer than the service's own limits: whoever is cut off here hung. */
const NO_ANSWER_MS = 30_000
