import type { World } from './world.js'

export const PLATFORM_KEY = 'platform_key_of_the_tests_0123456789'
export const WITH_PLATFORM = { PLATFORM_API_KEYS: PLATFORM_KEY }

export function platformFor(world: Pick<World, 'call'>, userId: string) {
  const user = `/api/v1/platform/users/${encodeURIComponent(userId)}`
  const headers = { authorization: `Bearer ${PLATFORM_KEY}` }
  const send = (method: string, path: string, body?: unknown, more?: Record<string, string>) =>
    world.call(method, `${user}${path}`, { headers: { ...headers, ...more }, body })
  return {
    get: (path: string, more?: Record<string, string>) => send('GET', path, undefined, more),
    post: (path: string, body: unknown, more?: Record<string, string>) => send('POST', path, body, more),
    put: (path: string, body: unknown) => send('PUT', path, body),
    read: () => send('GET', ''),
    update: (body: unknown) => send('PUT', '', body),
    consume: (limit: string, body: unknown) => send('POST', `/limits/${limit}/consume`, body),
    release: (limit: string, body: unknown) => send('POST', `/limits/${limit}/release`, body),
    report: (limit: string, body: unknown) => send('PUT', `/limits/${limit}/usage`, body),
  }
}
