// The API keys of the emulated account. As at Chargily, a key both authenticates API calls and signs events
// (Chargily docs, Webhooks: "HMAC of the payload signed with your API secret key").
import { createHmac } from 'node:crypto'
import { EmulatorError } from './errors.js'

export class ApiKeys {
  readonly #test: readonly string[]
  readonly #live: readonly string[]

  constructor(secretKeys: readonly string[]) {
    this.#test = secretKeys.filter((key) => key.startsWith('test_sk_'))
    this.#live = secretKeys.filter((key) => key.startsWith('live_sk_'))
    // The messages name no key, because they are logged.
    if (secretKeys.length === 0) throw new EmulatorError('secretKeys is empty')
    if (this.#test.length + this.#live.length < secretKeys.length)
      throw new EmulatorError('every secret key begins with test_sk_ or live_sk_')
  }

  accepts(key: string, livemode: boolean): boolean {
    return this.#mode(livemode).includes(key)
  }

  /** The first of the mode; without any, there is no checkout to sign for either. */
  signingKey(livemode: boolean): string {
    return this.#mode(livemode)[0] ?? this.retiredKey(livemode)
  }

  /** The last of several, otherwise a key that was never accepted. */
  retiredKey(livemode: boolean): string {
    const keys = this.#mode(livemode)
    const last = keys.length > 1 ? keys.at(-1) : undefined
    return last ?? `${livemode ? 'live' : 'test'}_sk_retired0000000000000000000000000000000`
  }

  #mode(livemode: boolean): readonly string[] {
    return livemode ? this.#live : this.#test
  }
}

/** The `signature` header: lower-case hex HMAC-SHA256 of the bytes. */
export function sign(body: string, key: string): string {
  return createHmac('sha256', key).update(body).digest('hex')
}
