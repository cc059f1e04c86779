import { get } from 'node:http'
import { text } from 'node:stream/consumers'
import { describeScenario } from '../../../../test/support/databases.js'
import { createWorld } from '../../../../test/support/world.js'

const KEYS = { user: 'the-token-of-user-7', platform: 'the-key-of-the-platform' }
const sandboxKeys = async () => KEYS

/** With a `Host` of the test's own, which fetch does not send. */
const pageAt = (url: string, headers: Record<string, string> = {}) =>
  new Promise<string>((resolve, reject) => {
    get(`${url}/docs`, { headers, agent: false }, (response) => text(response).then(resolve, reject)).on(
      'error',
      reject,
    )
  })
const given = (page: string) => Object.values(KEYS).filter((value) => page.includes(value))

describeScenario('the page at /docs', ({ database }) => {
  it('gives them to a browser on this machine, not under another name nor through a proxy', async () => {
    await using world = await createWorld(database(), { sandboxKeys, host: 'none' })
    const { port } = new URL(world.url)
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost'])
      expect(given(await pageAt(world.url, { host }))).toEqual(Object.values(KEYS))
    const foreign = ['rebound.example', '127.0.0.1.rebound.example'].map((host) => ({ host }))
    const proxied = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-forwarded-host', 'via']
    for (const headers of [...foreign, ...proxied.map((name) => ({ [name]: '203.0.113.9' }))])
      expect(given(await pageAt(world.url, headers))).toEqual([])
  })

  it('gives nothing outside of the sandbox or at a public address, and has no script of others', async () => {
    const env = { PUBLIC_URL: 'https://billing.example.dz' }
    await using known = await createWorld(database(), { sandboxKeys, host: 'none', env })
    expect(given(await pageAt(known.url))).toEqual([])
    await using world = await createWorld(database(), { host: 'none' })
    const { text: page, headers } = await world.call('GET', '/docs')
    expect(page).toContain('data-keys="{}"')
    expect(page).not.toMatch(/<script>|<style>|https?:\/\/(?!127\.0\.0\.1)/)
    expect(headers.get('content-security-policy')).toContain("script-src 'self';")
  })
})
