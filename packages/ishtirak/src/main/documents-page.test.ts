// To whom the page at /docs gives the sandbox's token and key.
import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { describeScenario } from '../../../../test/support/databases.js'
import { createWorld } from '../../../../test/support/world.js'

const KEYS = { userId: 'user-7', userToken: 'the-token-of-user-7', platformKey: 'the-key-of-the-platform' }
const sandboxKeys = async () => KEYS

/** With a `Host` of the test's own, which fetch does not send. */
const pageAt = (url: string, headers: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) => {
    get(`${url}/docs`, { headers, agent: false }, (response) => text(response).then(resolve, reject)).on(
      'error',
      reject,
    )
  })
const given = (page: string) => Object.values(KEYS).filter((value) => page.includes(`value="${value}"`))

describeScenario('the page at /docs', ({ database }) => {
  it('gives them to a browser on this machine, not under another name nor through a proxy', async () => {
    await using world = await createWorld(database(), { sandboxKeys, host: 'none' })
    const { port } = new URL(world.url)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost'])
      expect(given(await pageAt(world.url, { host }))).toEqual(Object.values(KEYS))
    for (const headers of [
      { host: 'rebound.example' },
      { host: '127.0.0.1.rebound.example' },
      { 'x-forwarded-for': '203.0.113.9' },
      { forwarded: 'for=203.0.113.9' },
      { 'x-real-ip': '203.0.113.9' },
      { 'x-forwarded-host': 'billing.example.dz' },
      { via: '1.1 proxy' },
    ])
      expect(given(await pageAt(world.url, headers))).toEqual([])
  })

  it('gives nothing where the service has a public address', async () => {
    const env = { PUBLIC_URL: 'https://billing.example.dz' }
    await using world = await createWorld(database(), { sandboxKeys, host: 'none', env })
    expect(given(await pageAt(world.url))).toEqual([])
  })

  it('has empty fields outside of the sandbox, and a script of this origin alone', async () => {
    await using world = await createWorld(database(), { host: 'none' })
    const { text: page, headers } = await world.call('GET', '/docs')
    expect(page).toMatch(/id="token" value=""/)
    expect(page).toMatch(/id="key" value=""/)
    expect(page).not.toMatch(/<script>|<style>|https?:\/\/(?!127\.0\.0\.1)/)
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
