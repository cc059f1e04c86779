// The API keys of the emulated account. One key does two jobs, as at Chargily: it authenticates API calls and it
// signs events (Chargily docs, Webhooks: "HMAC of the payload signed with your API secret key").
import { createHmac } from 'node:crypto'
import { EmulatorError } from './errors.js'

export class ApiKeys {
  readonly #test: readonly string[]
  readonly #live: readonly string[]

  constructor(secretKeys: readonly string[]) {
    this.#test = secretKeys.filter((key) => key.startsWith('test_sk_'))
    this.#live = secretKeys.filter((key) => key.startsWith('live_sk_'))
    // The keys themselves stay out of the message: it ends in logs.
    if (secretKeys.length === 0) throw new EmulatorError('secretKeys is empty')
    if (this.#test.length + this.#live.length < secretKeys.length)
      throw new EmulatorError('every secret key begins with test_sk_ or live_sk_')
  }

  accepts(key: string, livemode: boolean): boolean {
    return this.#mode(livemode).includes(key)
  }

  /** Null when the mode has no key, and therefore no checkout either. */
  signingKey(livemode: boolean): string | null {
    return this.#mode(livemode)[0] ?? null
  }

  /** A key that once signed: the last of several, else one that nobody was ever given. */
  retiredKey(livemode: boolean): string {
    const keys = this.#mode(livemode)
    const last = keys.length > 1 ? keys.at(-1) : undefined
    return last ?? `${livemode ? 'live' : 'test'}_sk_retired0000000000000000000000000000000`
  }

  #mode(livemode: boolean): readonly string[] {
    return livemode ? this.#live : this.#test
  }
}

/** Lower-case hex HMAC-SHA256 of the bytes, as it stands in the `signature` header. */
export function sign(body: string, key: string): string {
  return createHmac('sha256', key).update(body).digest('hex')
}
