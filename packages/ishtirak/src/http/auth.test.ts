// Tokens and the attacks on them. Keys are real, the key server is a real HTTP server, only the clock is
// ours.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BillingError } from '../core/error.js'
import { movableClock } from '../runtime/clock.js'
import {
  createApiKeys,
  createOperatorKeys,
  createTokenVerifier,
  rememberIdentities,
  type TokenVerifier,
} from './auth.js'

const SECRET = 'a secret of the tests that is longer than 32 bytes'
const NOW = Date.UTC(2026, 10, 21, 10)
const NOW_SECONDS = NOW / 1_000
const GOOD: JWTPayload = { sub: 'user-1', exp: NOW_SECONDS + 600 }

const bytes = (text: string) => new TextEncoder().encode(text)

function sign(
  claims: JWTPayload,
  header: { alg?: string; kid?: string } = {},
  key: Parameters<SignJWT['sign']>[0] = bytes(SECRET),
) {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', ...header }).sign(key)
}

async function refusal(verifier: TokenVerifier, header: string | undefined): Promise<string> {
  try {
    return `accepted ${JSON.stringify(await verifier.verify(header))}`
  } catch (error) {
    if (error instanceof BillingError) return error.code
    throw error
  }
}

const UNSEEN = () => undefined
const BY_SERVER = { secrets: [], noteUse: UNSEEN }
const KNOWN = { secrets: [SECRET], noteUse: UNSEEN }

function fresh(options: { issuer?: string; audience?: string } = {}) {
  const clock = movableClock(NOW)
  return { clock, verifier: createTokenVerifier({ ...KNOWN, clock, ...options }) }
}

describe('a token signed with the secret', () => {
  it('says who the user is', async () => {
    const token = await sign({ ...GOOD, email: 'amina@example.dz', name: 'أمينة', locale: 'ar-DZ' })
    expect(await fresh().verifier.verify(`Bearer ${token}`)).toEqual({
      userId: 'user-1',
      email: 'amina@example.dz',
      name: 'أمينة',
      locale: 'ar',
    })
  })

  it.each([
    [{ email: 'no address' }],
    [{ email: 7 }],
    [{ email: `${'x'.repeat(250)}@a.dz` }],
    [{ name: 'a\nb' }],
    [{ name: '' }],
    [{ name: 'x'.repeat(201) }],
    [{ locale: 'de' }],
    [{ locale: ['ar'] }],
  ])('keeps its good id where it says nonsense besides: %o', async (nonsense) => {
    const token = await sign({ ...GOOD, ...nonsense })
    expect(await fresh().verifier.verify(`Bearer ${token}`)).toEqual({ userId: 'user-1' })
  })

  it.each(['Bearer', 'bearer', 'BEARER', 'Bearer '])('is taken after %j and one space', async (scheme) => {
    const token = await sign(GOOD)
    expect(await fresh().verifier.verify(`${scheme} ${token}`)).toEqual({ userId: 'user-1' })
  })

  it.each(['x'.repeat(255), 'مستخدم', 'a b', '😀'])('may name a user like %s', async (sub) => {
    expect(await fresh().verifier.verify(`Bearer ${await sign({ ...GOOD, sub })}`)).toEqual({ userId: sub })
  })
})

describe('no token at all', () => {
  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'Basic dXNlcjpwYXNz',
    'Token abc',
    'Bearer a b',
    'Bearer a,b',
    'Bearer garbage',
    'Bearer a.b.c',
    'Bearer ..',
    'Bearer eyJhbGciOiJIUzI1NiJ9..',
    'Bearer \u0000',
    `Bearer ${'x'.repeat(100_000)}`,
    `Bearer ${'.'.repeat(8_000)}`,
  ])('(%.40j) is refused', async (header) => {
    expect(await refusal(fresh().verifier, header)).toBe('unauthenticated')
  })

  it('of 8 KiB is refused before any work, even if it is rightly signed', async () => {
    const token = await sign({ ...GOOD, padding: 'x'.repeat(8_192) })
    expect(await refusal(fresh().verifier, `Bearer ${token}`)).toBe('unauthenticated')
  })
})

describe('a token that claims too much or too little', () => {
  it.each<[string, JWTPayload | Record<string, unknown>]>([
    ['no user', { exp: GOOD.exp }],
    ['an empty user', { ...GOOD, sub: '' }],
    ['a number as user', { ...GOOD, sub: 7 }],
    ['a list as user', { ...GOOD, sub: ['user-1'] }],
    ['NUL in the user', { ...GOOD, sub: 'user\u0000-1' }],
    ['a line break in the user', { ...GOOD, sub: 'user\n-1' }],
    ['half a surrogate pair', { ...GOOD, sub: '\ud800' }],
    ['a user of 256 characters', { ...GOOD, sub: 'x'.repeat(256) }],
    ['no end', { sub: 'user-1' }],
    ['an end as text', { ...GOOD, exp: String(GOOD.exp) }],
    ['an end that is past', { ...GOOD, exp: NOW_SECONDS - 5 }],
    ['a beginning to come', { ...GOOD, nbf: NOW_SECONDS + 6 }],
  ])('(%s) is refused', async (_what, claims) => {
    // The attacker's payload is any JSON; the signer's type only knows good ones.
    const token = await sign(claims as JWTPayload)
    expect(await refusal(fresh().verifier, `Bearer ${token}`)).toBe('unauthenticated')
  })

  it('is accepted up to five seconds off, as clocks differ', async () => {
    for (const claims of [
      { ...GOOD, exp: NOW_SECONDS - 4 },
      { ...GOOD, nbf: NOW_SECONDS + 5 },
    ]) {
      expect(await refusal(fresh().verifier, `Bearer ${await sign(claims)}`)).toContain('accepted')
    }
  })

  it.each([
    ['another issuer', { iss: 'https://evil.example', aud: 'billing' }],
    ['no issuer', { aud: 'billing' }],
    ['another audience', { iss: 'https://host.example', aud: 'shop' }],
    ['no audience', { iss: 'https://host.example' }],
  ])('is refused for %s where one is configured', async (_what, claims) => {
    const { verifier } = fresh({ issuer: 'https://host.example', audience: 'billing' })
    expect(await refusal(verifier, `Bearer ${await sign({ ...GOOD, ...claims })}`)).toBe('unauthenticated')
    const right = { ...GOOD, iss: 'https://host.example', aud: ['shop', 'billing'] }
    expect(await refusal(verifier, `Bearer ${await sign(right)}`)).toContain('accepted')
  })
})

describe('a token with the wrong signature', () => {
  it('(another secret, none, another algorithm, a tampered payload) is refused', async () => {
    const { verifier } = fresh()
    const { privateKey } = await generateKeyPair('RS256')
    const [header, payload, signature] = (await sign(GOOD)).split('.')
    const other = Buffer.from(JSON.stringify({ ...GOOD, sub: 'admin' })).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    const tokens = [
      await sign(GOOD, {}, bytes('another secret, also longer than 32 bytes')),
      await sign(GOOD, { alg: 'HS512' }, bytes(SECRET.repeat(2))),
      await sign(GOOD, { alg: 'RS256' }, privateKey),
      new UnsecuredJWT(GOOD).encode(),
      `${none}.${payload}.${signature}`,
      `${header}.${other}.${signature}`,
      `${header}.${payload}.${signature?.slice(0, -2)}`,
      `${header}.${payload}.`,
    ]
    for (const token of tokens) expect(await refusal(verifier, `Bearer ${token}`)).toBe('unauthenticated')
  })

  it('is refused also after its untampered twin was remembered', async () => {
    const { verifier } = fresh()
    const token = await sign(GOOD)
    await verifier.verify(`Bearer ${token}`)
    const [header, , signature] = token.split('.')
    const other = Buffer.from(JSON.stringify({ ...GOOD, sub: 'admin' })).toString('base64url')
    expect(await refusal(verifier, `Bearer ${header}.${other}.${signature}`)).toBe('unauthenticated')
  })
})

describe('a remembered token', () => {
  it('is believed until the very second in which a fresh look would refuse it', async () => {
    const { clock, verifier } = fresh()
    const token = await sign({ ...GOOD, exp: NOW_SECONDS + 60 })
    expect(await refusal(verifier, `Bearer ${token}`)).toContain('accepted')
    clock.advance(64_999) // 60 seconds + 5 of tolerance - 1 ms
    expect(await refusal(verifier, `Bearer ${token}`)).toContain('accepted')
    expect(await refusal(createTokenVerifier({ ...KNOWN, clock }), `Bearer ${token}`)).toContain('accepted')
    clock.advance(1)
    expect(await refusal(verifier, `Bearer ${token}`)).toBe('unauthenticated')
    expect(await refusal(createTokenVerifier({ ...KNOWN, clock }), `Bearer ${token}`)).toBe('unauthenticated')
  })
})

it('a token that is too long to be remembered is verified each time', async () => {
  let verified = 0
  const verifier = createTokenVerifier({
    ...KNOWN,
    clock: movableClock(NOW),
    noteUse: () => {
      verified += 1
    },
  })
  const token = await sign(GOOD)
  for (const spaces of [1, 1, 3_000, 3_000])
    expect(await refusal(verifier, `Bearer${' '.repeat(spaces)}${token}`)).toContain('accepted')
  expect(verified).toBe(3)
})

describe('remembered identities', () => {
  it('an identity is remembered until its token ends', () => {
    const remembered = rememberIdentities({ most: 10, longestMs: 1_000 })
    remembered.keep('a', { userId: '1' }, 0, 500)
    expect([remembered.find('a', 499), remembered.find('a', 500), remembered.find('a', 499)]).toEqual([
      { userId: '1' },
      undefined,
      undefined,
    ])
  })

  it('a token that lives long is looked at again all the same, since its key may have been withdrawn', () => {
    const remembered = rememberIdentities({ most: 10, longestMs: 1_000 })
    remembered.keep('a', { userId: '1' }, 200, 1_000_000)
    expect([remembered.find('a', 1_199), remembered.find('a', 1_200)]).toEqual([{ userId: '1' }, undefined])
  })

  it('one too many pushes out the oldest', () => {
    const remembered = rememberIdentities({ most: 2, longestMs: 1_000 })
    for (const name of ['a', 'b', 'c']) remembered.keep(name, { userId: name }, 0, 500)
    expect(['a', 'b', 'c'].map((name) => remembered.find(name, 1))).toEqual([
      undefined,
      { userId: 'b' },
      { userId: 'c' },
    ])
  })
})

describe('with a key server', () => {
  let answers = 0
  let status = 200
  let keys: unknown[] = []
  const server = createServer((_request, response) => {
    answers += 1
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }))
  })
  let jwksUrl = ''
  beforeAll(async () => {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    // A server that listens on TCP has an address with a port.
    jwksUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  })
  afterAll(() => {
    server.close()
  })

  async function serveKey(alg: string, kid: string) {
    const pair = await generateKeyPair(alg, { extractable: true })
    keys = [{ ...(await exportJWK(pair.publicKey)), kid, alg }]
    return pair
  }
  const verifier = () => createTokenVerifier({ ...BY_SERVER, jwksUrl, clock: movableClock(NOW) })

  it.each(['RS256', 'ES256', 'EdDSA'])('a token signed with %s is believed', async (alg) => {
    const { privateKey } = await serveKey(alg, 'k1')
    expect(await refusal(verifier(), `Bearer ${await sign(GOOD, { alg, kid: 'k1' }, privateKey)}`)).toContain(
      'accepted',
    )
  })

  it('a token signed with HS256 and the public key as secret is refused', async () => {
    const { publicKey } = await serveKey('RS256', 'k1')
    for (const secret of [await exportSPKI(publicKey), JSON.stringify(keys[0])]) {
      const token = await sign(GOOD, { alg: 'HS256', kid: 'k1' }, bytes(secret))
      expect(await refusal(verifier(), `Bearer ${token}`)).toBe('unauthenticated')
    }
  })

  it(
    'a token without signature, of another key, or of an algorithm that we do not take is ' + 'refused',
    async () => {
      await serveKey('RS256', 'k1')
      const unknown = await generateKeyPair('RS256')
      const p384 = await generateKeyPair('ES384')
      const tokens = [
        new UnsecuredJWT(GOOD).encode(),
        await sign(GOOD, { alg: 'RS256', kid: 'k1' }, unknown.privateKey),
        await sign(GOOD, { alg: 'ES384', kid: 'k1' }, p384.privateKey),
      ]
      for (const token of tokens) expect(await refusal(verifier(), `Bearer ${token}`)).toBe('unauthenticated')
    },
  )

  it('a hundred tokens of unknown keys are refused with one question to the server', async () => {
    const { privateKey } = await serveKey('RS256', 'k1')
    const one = verifier()
    answers = 0
    for (let index = 0; index < 100; index++) {
      const token = await sign(GOOD, { alg: 'RS256', kid: `other-${index}` }, privateKey)
      expect(await refusal(one, `Bearer ${token}`)).toBe('unauthenticated')
    }
    expect(answers).toBe(1)
  })

  it('that is out of reach the answer is 503: the token may well be good', async () => {
    const { privateKey } = await serveKey('RS256', 'k1')
    const token = await sign(GOOD, { alg: 'RS256', kid: 'k1' }, privateKey)
    status = 500
    expect(await refusal(verifier(), `Bearer ${token}`)).toBe('authentication_unavailable')
    status = 200
    const nowhere = createTokenVerifier({
      ...BY_SERVER,
      jwksUrl: 'http://127.0.0.1:9/keys',
      clock: movableClock(NOW),
    })
    expect(await refusal(nowhere, `Bearer ${token}`)).toBe('authentication_unavailable')
    // What could never be good is refused without asking the key server.
    expect(await refusal(nowhere, `Bearer ${await sign(GOOD)}`)).toBe('unauthenticated')
  })
})

it('a secret and a key server at once, or neither, is a mistake of ours', () => {
  const clock = movableClock(NOW)
  expect(() => createTokenVerifier({ ...BY_SERVER, clock })).toThrow(TypeError)
  expect(() => createTokenVerifier({ ...KNOWN, clock, jwksUrl: 'https://keys.example' })).toThrow(TypeError)
})

const OLD = 'old-key-of-the-platform'
const NEW = 'new-key-of-the-platform'

function codeOf(act: () => unknown): string {
  try {
    act()
    return 'accepted'
  } catch (error) {
    if (error instanceof BillingError) return error.code
    throw error
  }
}

describe('the keys of the platform', () => {
  it.each([
    [`Bearer ${OLD}`, 'accepted'],
    [`bearer ${NEW}`, 'accepted'],
    [`Bearer ${OLD}x`, 'unauthenticated'],
    [`Bearer ${OLD.slice(0, -1)}`, 'unauthenticated'],
    [`Bearer ${OLD.toUpperCase()}`, 'unauthenticated'],
    [`Bearer ${OLD},${NEW}`, 'unauthenticated'],
    ['Bearer ', 'unauthenticated'],
    [OLD, 'unauthenticated'],
    [undefined, 'unauthenticated'],
  ])('both while rotating, and nothing else: %s is %s', (header, outcome) => {
    expect(codeOf(() => createApiKeys([OLD, NEW], UNSEEN).verify(header))).toBe(outcome)
  })

  it('without any the part is not there, whatever is sent', () => {
    for (const header of [undefined, 'Bearer ', `Bearer ${OLD}`]) {
      expect(codeOf(() => createApiKeys([], UNSEEN).verify(header))).toBe('not_found')
      expect(codeOf(() => createOperatorKeys([], UNSEEN).verify(header))).toBe('not_found')
    }
  })
})

it('an operator is known by the name and role of the key', () => {
  const operators = createOperatorKeys(
    [
      { name: 'amina', role: 'owner', key: OLD },
      { name: 'yacine', role: 'viewer', key: NEW },
    ],
    UNSEEN,
  )
  expect(operators.verify(`Bearer ${NEW}`)).toEqual({ name: 'yacine', role: 'viewer' })
  expect(operators.verify(`Bearer ${OLD}`)).toEqual({ name: 'amina', role: 'owner' })
  for (const header of ['Bearer amina', 'Basic x', undefined]) {
    expect(codeOf(() => operators.verify(header))).toBe('invalid_operator_key')
  }
})
