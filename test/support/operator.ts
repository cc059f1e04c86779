// The operator of a world: a key with a name, and calls with it.
import type { Operator } from '../../packages/ishtirak/src/core/role.js'
import type { Answer, World } from './world.js'

export const OPERATOR_KEY = 'operator-key-of-the-tests'
export const OPERATOR_ENV = { OPERATOR_KEYS: `amina:${OPERATOR_KEY}` }

/** For calls of a use case. */
export const ownerNamed = (name: string): Operator => ({ name, role: 'owner' })

export interface OperatorCaller {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** Everything known of one payment. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the service sent
  payment(paymentId: string): Promise<any>
}

/** The world must have been made with `OPERATOR_ENV`. */
export function operatorOf(world: World, key = OPERATOR_KEY): OperatorCaller {
  const headers = { authorization: `Bearer ${key}` }
  const get = (path: string) => world.call('GET', `/api/v1/operator${path}`, { headers })
  return {
    get,
    post: (path, body = {}) => world.call('POST', `/api/v1/operator${path}`, { headers, body }),
    payment: async (paymentId) => (await get(`/payments/${paymentId}`)).body,
  }
}
