// 200 means booked. The caller sends again what is answered otherwise, as the provider does.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { inParallel, type Sale } from './sales.js'

/** `none`: the connection was refused, cut, or timed out. */
export type SendOutcome = number | 'none'

export class WebhookClient {
  readonly answered = new Set<Sale>()
  readonly sent = new Set<Sale>()
  readonly outcomes = new Map<SendOutcome, number>()
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 })
  slowestMs = 0

  /** Sends all, `atOnce` at a time. `onSend` is called before each request, `onAnswer` after each 200. */
  async sendAll(
    url: string,
    sales: readonly Sale[],
    options: { readonly atOnce: number; readonly onSend?: () => void; readonly onAnswer?: () => void },
  ): Promise<SendOutcome[]> {
    return await inParallel(sales, options.atOnce, async (sale) => {
      options.onSend?.()
      const outcome = await this.send(url, sale)
      if (outcome === 200) options.onAnswer?.()
      return outcome
    })
  }

  async send(url: string, sale: Sale): Promise<SendOutcome> {
    this.sent.add(sale)
    const before = performance.now()
    const outcome = await send(this.#agent, `${url}/api/v1/billing/webhook`, webhookOf(sale), NO_ANSWER_MS)
    this.slowestMs = Math.max(this.slowestMs, performance.now() - before)
    if (outcome === 200) this.answered.add(sale)
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1)
    return outcome
  }

  close(): void {
    this.#agent.destroy()
  }
}

export function webhookOf({ body, signature }: Sale): SentRequest {
  return { method: 'POST', headers: { 'content-type': 'application/json', signature }, body }
}

export interface SentRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `timeoutMs` bounds a silence. All failures are one outcome: the sender knows nothing of its request. */
export async function send(
  agent: Agent,
  url: string,
  { method = 'GET', headers = {}, body }: SentRequest,
  timeoutMs: number,
): Promise<SendOutcome> {
  const call = request(url, { method, agent, headers, timeout: timeoutMs })
  call.on('timeout', () => call.destroy())
  try {
    call.end(body)
    const [response] = await once(call, 'response')
    response.resume()
    await once(response, 'end')
    return response.statusCode
  } catch {
    return 'none'
  }
}

/** Longer than the service's own limits: a request cut off here hung. */
export const NO_ANSWER_MS = 30_000
