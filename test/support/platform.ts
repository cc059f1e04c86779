// The hosting platform in a test: its key, and its calls about one user.
import type { Answer, World } from './world.js'

export const PLATFORM_KEY = 'platform_key_of_the_tests_0123456789'
export const WITH_PLATFORM = { PLATFORM_API_KEYS: PLATFORM_KEY }

export interface PlatformCaller {
  /** A call of the user's, such as `/payments`. */
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body: unknown): Promise<Answer>
  read(): Promise<Answer>
  update(body: unknown): Promise<Answer>
  consume(limit: string, body: unknown): Promise<Answer>
  release(limit: string, body: unknown): Promise<Answer>
  report(limit: string, body: unknown): Promise<Answer>
}

export function platformFor(world: Pick<World, 'call'>, userId: string): PlatformCaller {
  const user = `/api/v1/platform/users/${encodeURIComponent(userId)}`
  const headers = { authorization: `Bearer ${PLATFORM_KEY}` }
  const send = (method: string, path: string, body?: unknown, more?: Record<string, string>) =>
    world.call(method, `${user}${path}`, { headers: { ...headers, ...more }, body })
  return {
    get: (path, more) => send('GET', path, undefined, more),
    post: (path, body, more) => send('POST', path, body, more),
    put: (path, body) => send('PUT', path, body),
    read: () => world.call('GET', user, { headers }),
    update: (body) => world.call('PUT', user, { headers, body }),
    consume: (limit, body) => world.call('POST', `${user}/limits/${limit}/consume`, { headers, body }),
    release: (limit, body) => world.call('POST', `${user}/limits/${limit}/release`, { headers, body }),
    report: (limit, body) => world.call('PUT', `${user}/limits/${limit}/usage`, { headers, body }),
  }
}
