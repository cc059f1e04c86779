// Keys and the key server are real. Only the clock is moved.
import { createServer } from 'node:http'
import { exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { listen } from '../../../../test/support/listen.js'
import { BillingError } from '../core/error.js'
import { movableClock } from '../runtime/clock.js'
import { createApiKeys, createOperatorKeys, createTokenVerifier } from './auth.js'

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

async function refusal(
  verifier: (header: string | undefined) => Promise<unknown>,
  header: string | undefined,
): Promise<string> {
  try {
    return `accepted ${JSON.stringify(await verifier(header))}`
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

const verdict = async (claims: unknown, options?: Parameters<typeof fresh>[0]) =>
  // An attacker's payload may be any JSON, while the signer's type allows only valid claims.
  refusal(fresh(options).verifier, `Bearer ${await sign(claims as JWTPayload)}`)

it('a token signed with the secret says who the user is', async () => {
  const verify = async (claims: JWTPayload, scheme = 'Bearer') =>
    fresh().verifier(`${scheme} ${await sign(claims)}`)
  const said = { email: 'amina@example.dz', name: 'أمينة' }
  expect(await verify({ ...GOOD, ...said, locale: 'ar-DZ' })).toEqual({
    userId: 'user-1',
    ...said,
    locale: 'ar',
  })
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer '])
    expect(await verify(GOOD, scheme)).toEqual({ userId: 'user-1' })
  for (const sub of ['x'.repeat(255), 'مستخدم', 'a b', '😀'])
    expect(await verify({ ...GOOD, sub })).toEqual({ userId: sub })
})

it('a token keeps its good id where another claim is nonsense', async () => {
  const emails = ['no address', 7, `${'x'.repeat(250)}@a.dz`].map((email) => ({ email }))
  const names = ['a\nb', '', 'x'.repeat(201)].map((name) => ({ name }))
  const nonsense = [...emails, ...names, { locale: 'de' }, { locale: ['ar'] }]
  for (const claims of nonsense)
    expect([claims, await verdict({ ...GOOD, ...claims })]).toEqual([claims, 'accepted {"userId":"user-1"}'])
})

it('what is not a token is refused', async () => {
  const headers = [
    ...[undefined, '', 'Bearer', 'Bearer ', 'Bearer  ', 'Basic dXNlcjpwYXNz', 'Token abc', 'Bearer a b'],
    ...['Bearer a,b', 'Bearer garbage', 'Bearer a.b.c', 'Bearer ..', 'Bearer eyJhbGciOiJIUzI1NiJ9..'],
    ...['Bearer \u0000', `Bearer ${'x'.repeat(100_000)}`, `Bearer ${'.'.repeat(8_000)}`],
    // A token of more than 8 KiB is refused before any work, even with a valid signature.
    `Bearer ${await sign({ ...GOOD, padding: 'x'.repeat(8_192) })}`,
  ]
  for (const header of headers)
    expect([header, await refusal(fresh().verifier, header)]).toEqual([header, 'unauthenticated'])
})

it('a token that claims too much or too little is refused', async () => {
  const subs = ['', 7, ['user-1'], 'user\u0000-1', 'user\n-1', '\ud800', 'x'.repeat(256)]
  const wrong = [
    { exp: GOOD.exp },
    ...subs.map((sub) => ({ ...GOOD, sub })),
    { sub: 'user-1' },
    { ...GOOD, exp: String(GOOD.exp) },
    { ...GOOD, exp: NOW_SECONDS - 5 },
    { ...GOOD, nbf: NOW_SECONDS + 6 },
  ]
  for (const claims of wrong) expect([claims, await verdict(claims)]).toEqual([claims, 'unauthenticated'])
  // Clocks may differ by five seconds.
  for (const claims of [{ exp: NOW_SECONDS - 4 }, { nbf: NOW_SECONDS + 5 }])
    expect(await verdict({ ...GOOD, ...claims })).toContain('accepted')
})

it('a token is only for the issuer and the audience that are configured', async () => {
  const [iss, aud] = ['https://host.example', 'billing']
  const of = (claims: object) => verdict({ ...GOOD, ...claims }, { issuer: iss, audience: aud })
  for (const claims of [{ iss: 'https://evil.example', aud }, { aud }, { iss, aud: 'shop' }, { iss }])
    expect([claims, await of(claims)]).toEqual([claims, 'unauthenticated'])
  expect(await of({ iss, aud: ['shop', aud] })).toContain('accepted')
})

it('a token with the wrong signature is refused', async () => {
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
  // The tampered token is refused also after the good one was remembered.
  await verifier(`Bearer ${header}.${payload}.${signature}`)
  expect(await refusal(verifier, `Bearer ${header}.${other}.${signature}`)).toBe('unauthenticated')
})

it('a remembered token is believed until the very second in which a fresh look would refuse it', async () => {
  const { clock, verifier } = fresh()
  const header = `Bearer ${await sign({ ...GOOD, exp: NOW_SECONDS + 60 })}`
  expect(await refusal(verifier, header)).toContain('accepted')
  clock.advance(64_999) // 60 seconds + 5 of tolerance - 1 ms
  expect(await refusal(verifier, header)).toContain('accepted')
  expect(await refusal(createTokenVerifier({ ...KNOWN, clock }), header)).toContain('accepted')
  clock.advance(1)
  expect(await refusal(verifier, header)).toBe('unauthenticated')
  expect(await refusal(createTokenVerifier({ ...KNOWN, clock }), header)).toBe('unauthenticated')
})

it('a remembered token is looked at again after five minutes: its key may have been withdrawn', async () => {
  const clock = movableClock(NOW)
  let looks = 0
  const verifier = createTokenVerifier({ secrets: [SECRET], clock, noteUse: () => void looks++ })
  const header = `Bearer ${await sign({ ...GOOD, exp: NOW_SECONDS + 3_600 })}`
  const looksAfter = async (ms: number) => {
    clock.advance(ms)
    await verifier(header)
    return looks
  }
  expect([await looksAfter(0), await looksAfter(299_999), await looksAfter(1)]).toEqual([1, 1, 2])
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
    const listening = await listen(server)
    jwksUrl = `${listening.url}/keys`
    return () => listening[Symbol.asyncDispose]()
  })

  async function serveKey(alg: string) {
    const pair = await generateKeyPair(alg, { extractable: true })
    keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg }]
    return pair
  }
  const verifier = () => createTokenVerifier({ ...BY_SERVER, jwksUrl, clock: movableClock(NOW) })

  it('a token signed with its key is believed', async () => {
    for (const alg of ['RS256', 'ES256', 'EdDSA']) {
      const { privateKey } = await serveKey(alg)
      const token = await sign(GOOD, { alg, kid: 'k1' }, privateKey)
      expect(await refusal(verifier(), `Bearer ${token}`), alg).toMatch(/^accepted/)
    }
  })

  it('a token that is signed with the public key, with another key or not at all is refused', async () => {
    const { publicKey } = await serveKey('RS256')
    const signedWith = async (alg: string) =>
      sign(GOOD, { alg, kid: 'k1' }, (await generateKeyPair(alg)).privateKey)
    const tokens = [
      await sign(GOOD, { kid: 'k1' }, bytes(await exportSPKI(publicKey))),
      await sign(GOOD, { kid: 'k1' }, bytes(JSON.stringify(keys[0]))),
      new UnsecuredJWT(GOOD).encode(),
      await signedWith('RS256'),
      await signedWith('ES384'),
    ]
    for (const token of tokens) expect(await refusal(verifier(), `Bearer ${token}`)).toBe('unauthenticated')
  })

  it('a hundred tokens of unknown keys are refused with one question to the server', async () => {
    const { privateKey } = await serveKey('RS256')
    const one = verifier()
    answers = 0
    for (let index = 0; index < 100; index++) {
      const token = await sign(GOOD, { alg: 'RS256', kid: `other-${index}` }, privateKey)
      expect(await refusal(one, `Bearer ${token}`)).toBe('unauthenticated')
    }
    expect(answers).toBe(1)
  })

  it('that is out of reach the answer is 503: the token may well be good', async () => {
    const { privateKey } = await serveKey('RS256')
    const token = await sign(GOOD, { alg: 'RS256', kid: 'k1' }, privateKey)
    status = 500
    expect(await refusal(verifier(), `Bearer ${token}`)).toBe('authentication_unavailable')
    status = 200
    const away = { jwksUrl: 'http://127.0.0.1:9/keys', clock: movableClock(NOW) }
    const nowhere = createTokenVerifier({ ...BY_SERVER, ...away })
    expect(await refusal(nowhere, `Bearer ${token}`)).toBe('authentication_unavailable')
    // What could never be good is refused without asking the key server.
    expect(await refusal(nowhere, `Bearer ${await sign(GOOD)}`)).toBe('unauthenticated')
  })
})

const OLD = 'old-key-of-the-platform'
const NEW = 'new-key-of-the-platform'

it('both keys of the platform count while it rotates them, and nothing else', async () => {
  const verify = (header: string | undefined) => refusal(createApiKeys([OLD, NEW], UNSEEN).verify, header)
  for (const header of [`Bearer ${OLD}`, `bearer ${NEW}`])
    expect(await verify(header)).toBe('accepted "platform"')
  const wrong = [`${OLD}x`, OLD.slice(0, -1), OLD.toUpperCase(), `${OLD},${NEW}`, '']
  for (const header of [...wrong.map((key) => `Bearer ${key}`), OLD, undefined])
    expect([header, await verify(header)]).toEqual([header, 'unauthenticated'])
})

it('without any key the part is not there, whatever is sent', async () => {
  for (const header of [undefined, 'Bearer ', `Bearer ${OLD}`]) {
    expect(await refusal(createApiKeys([], UNSEEN).verify, header)).toBe('not_found')
    expect(await refusal(createOperatorKeys([], UNSEEN).verify, header)).toBe('not_found')
  }
})

it('an operator is known by the name and role of the key', async () => {
  const [amina, yacine] = [
    { name: 'amina', role: 'owner' },
    { name: 'yacine', role: 'viewer' },
  ] as const
  const keys = [
    { ...amina, key: OLD },
    { ...yacine, key: NEW },
  ]
  const operators = createOperatorKeys(keys, UNSEEN)
  expect(await operators.verify(`Bearer ${NEW}`)).toEqual(yacine)
  expect(await operators.verify(`Bearer ${OLD}`)).toEqual(amina)
  for (const header of ['Bearer amina', 'Basic x', undefined])
    expect(await refusal(operators.verify, header)).toBe('invalid_operator_key')
})
