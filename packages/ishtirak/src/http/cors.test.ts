import { describeScenario } from '../../../../test/support/databases.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { ConfigError } from '../runtime/config-file.js'

const OURS = 'https://app.example'
const STATUS = '/api/v1/billing/status'

describeScenario('a browser on a page of another origin', ({ database }) => {
  const sharedWith = (origins: string) => createWorld(database(), { env: { CORS_ORIGINS: origins } })
  const sharing = ({ headers }: { readonly headers: Headers }) =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort()
  const preflight = (world: World, path: string, origin: string) =>
    world.call('OPTIONS', path, {
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    })
  const from = { headers: { origin: OURS } }

  it('may call the API of users from an origin that CORS_ORIGINS names, and from no other', async () => {
    const world = await sharedWith(`https://other.example, ${OURS}`)
    const asked = await preflight(world, '/api/v1/billing/upgrade', OURS)
    expect(asked.status).toBe(204)
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': OURS,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'authorization,content-type',
    })
    const stranger = await preflight(world, '/api/v1/billing/upgrade', 'https://evil.example')
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull()
    const answers = [
      await world.as('user-1').get(STATUS, from.headers),
      await world.call('GET', STATUS, from),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 401])
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(OURS)
      expect(answer.headers.get('vary')).toMatch(/origin/i)
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it('reads no other path, and none at all where nothing is set', async () => {
    const world = await sharedWith(OURS)
    for (const path of ['/api/v1/platform/users/user-1/status', '/portal', '/readyz', '/openapi.json']) {
      expect([path, sharing(await world.call('GET', path, from))]).toEqual([path, []])
      const asked = await preflight(world, path, OURS)
      // A mounting host may refuse it before our routes are found.
      expect([path, asked.status >= 400, sharing(asked)]).toEqual([path, true, []])
    }
    const closed = await sharedWith('')
    expect(sharing(await closed.as('user-1').get(STATUS, { origin: OURS }))).toEqual([])
    expect((await preflight(closed, STATUS, OURS)).status).toBe(405)
  })

  it('needs origins that are written out: no star, no path, no other scheme', async () => {
    for (const wrong of ['*', 'https://*.example', `${OURS}/`, 'app.example', 'file://x', `${OURS},`])
      await expect(sharedWith(wrong)).rejects.toThrow(ConfigError)
  })
})
