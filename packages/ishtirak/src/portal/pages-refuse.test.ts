import { emptyDatabase } from '../../../../test/support/databases.js'
import { sendRaw } from '../../../../test/support/raw.js'
import { createWorld, type World } from '../../../../test/support/world.js'
import { cookiesFor } from '../pages/reader.js'

let world: World
/** At a port of its own, for what a host's server answers by itself. */
let alone: World
beforeAll(async () => {
  const database = await emptyDatabase('pglite')
  world = await createWorld(database, { host: 'listener' })
  alone = await createWorld(database, { host: 'none' })
})
afterAll(async () => {
  await world.stop()
  await alone.stop()
})

const askAt =
  (at: () => World) =>
  (method: string, path: string, headers: Record<string, string> = {}) => {
    const { url, base } = at()
    const lines = Object.entries({ host: 'x', connection: 'close', ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return sendRaw(url, `${method} ${base}${path} HTTP/1.1\r\n${head}\r\n`)
  }
const ask = askAt(() => world)
const askAlone = askAt(() => alone)

const REFUSED: readonly (readonly [string, string, string, number])[] = [
  ['a NUL in the query', 'GET', '/portal?a=%00', 400],
  ['a NUL in the path', 'GET', '/portal/receipts/a%00', 400],
  ['half an escape', 'GET', '/portal/%', 400],
  ['escapes that are no UTF-8', 'GET', '/portal/return/%c3%28', 400],
  ['a long query', 'GET', `/portal?a=${'1'.repeat(7_000)}`, 414],
  ['a long parameter', 'GET', `/portal/return/${'x'.repeat(3_061)}`, 414],
  ['no session', 'GET', '/portal', 401],
  ['an address that is not there', 'GET', '/portal/nothing', 404],
  ['a form for an address without one', 'POST', '/portal', 405],
]

describe('an address that users open', () => {
  it('is refused with a page in its reader’s language', async () => {
    const wrong: unknown[] = []
    const parts = [
      ...['content-type: text/html; charset=utf-8', "content-security-policy: default-src 'none';"],
      ...['referrer-policy: no-referrer', 'x-content-type-options: nosniff', '<html lang="fr"'],
    ]
    for (const [what, method, path, status] of REFUSED) {
      const answer = await ask(method, path, { 'accept-language': 'fr' })
      const missing = parts.filter((part) => !answer.includes(part))
      if (!answer.startsWith(`HTTP/1.1 ${status} `)) missing.push(answer.slice(0, 12))
      if (missing.length > 0) wrong.push([what, missing])
    }
    expect(wrong).toEqual([])
  })

  it('is refused in the language that was chosen by hand, though nothing else could be read', async () => {
    const cookie = `${cookiesFor(world.config.publicUrl).cookie.language}=fr`
    expect(await ask('GET', '/portal?a=%00', { cookie, 'accept-language': 'en' })).toContain(
      '<html lang="fr"',
    )
    expect(await ask('GET', '/portal/%', { cookie, 'accept-language': 'en' })).toContain('<html lang="fr"')
    expect(await ask('GET', '/portal/nothing?lang=en', { cookie })).toContain('<html lang="en"')
  })

  it('has cookies of its own on each path of an origin', () => {
    const paths = ['', '/a', '/a/b', '/a.b', '/a~b', '/a-b', '/a_b', '/a%2Fb', '/a~2eb', '/A']
    const names = paths.flatMap((path) => Object.values(cookiesFor(`https://example.dz${path}`).cookie))
    expect(new Set(names).size).toBe(5 * paths.length)
    expect(names.filter((name) => !/^__Host-[\w.~-]+$/.test(name))).toEqual([])
  })

  it('names the methods that it takes', async () => {
    expect(await ask('DELETE', '/portal/leave')).toMatch(/^HTTP\/1.1 405 [\s\S]*\r\nallow: POST\r\n/)
  })
})

describe('an expectation', () => {
  it('but 100-continue is refused with a problem or a page, and one of an older client ignored', async () => {
    const problem = await askAlone('GET', '/nowhere', { expect: 'x' })
    expect(problem).toMatch(/^HTTP\/1.1 417 [\s\S]*x-content-type-options: nosniff[\s\S]*expectation_failed/)
    expect(await askAlone('GET', '/portal', { expect: 'x' })).toMatch(/^HTTP\/1.1 417 [\s\S]*text\/html/)
    expect(await askAlone('GET', '/healthz', { expect: '100-continue' })).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    )
    const older = await sendRaw(alone.url, 'GET /healthz HTTP/1.0\r\nExpect: x\r\n\r\n')
    expect(older).toMatch(/^HTTP\/1.[01] 200 /)
  })
})
