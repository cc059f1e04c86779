import type { Operator } from '../../packages/ishtirak/src/core/role.js'
import { ROLES_ENV } from './roles.js'
import type { World } from './world.js'

export const OPERATOR_KEY = 'operator-key-of-the-tests'
export const OPERATOR_ENV = { OPERATOR_KEYS: `amina:${OPERATOR_KEY},${ROLES_ENV.OPERATOR_KEYS}` }

/** For calls of a use case. */
export const ownerNamed = (name: string): Operator => ({ name, role: 'owner' })

export type OperatorCaller = ReturnType<typeof operatorOf>

export function operatorOf(world: World, key = OPERATOR_KEY) {
  const headers = { authorization: `Bearer ${key}` }
  const get = (path: string) => world.call('GET', `/api/v1/operator${path}`, { headers })
  return {
    get,
    post: (path: string, body: unknown = {}) =>
      world.call('POST', `/api/v1/operator${path}`, { headers, body }),
    /** The entries of a list, page by page. Its path has a query. */
    pages: async (path: string) => {
      const pages = []
      for (let cursor = ''; ; ) {
        const { data, next_cursor } = (await get(path + cursor)).body
        pages.push(data)
        if (next_cursor === null) return pages
        cursor = `&cursor=${next_cursor}`
      }
    },
    payment: async (paymentId: string) => (await get(`/payments/${paymentId}`)).body,
  }
}
