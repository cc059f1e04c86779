import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { forAll } from '../../../../../../test/support/for-all.js'
import { VECTOR_BODY, VECTOR_KEY, VECTOR_SIGNATURE } from '../../../../../../test/support/vector.js'
import { createChargily } from './chargily.js'

const OLD_KEY = 'test_sk_old0000000000000000000000'
const chargily = createChargily({ secretKey: VECTOR_KEY, webhookKeys: [OLD_KEY] })
const body = Buffer.from(VECTOR_BODY)

const signed = (key: string) => createHmac('sha256', key).update(body).digest('hex')

test('the published vector is right, in lower and in upper case', () => {
  expect(body.byteLength).toBe(972)
  expect(chargily.webhook.verifySignature(body, VECTOR_SIGNATURE)).toBe(true)
  expect(chargily.webhook.verifySignature(body, VECTOR_SIGNATURE.toUpperCase())).toBe(true)
})

test('the same event serialized again is refused: the bytes are signed, not the meaning', () => {
  const rewritten = JSON.stringify(JSON.parse(VECTOR_BODY))
  expect(rewritten).not.toBe(VECTOR_BODY)
  expect(chargily.webhook.verifySignature(Buffer.from(rewritten), VECTOR_SIGNATURE)).toBe(false)
})

test('one bit changed anywhere in body or signature is refused', () => {
  forAll(100, fc.nat(body.byteLength - 1), fc.nat(7), (place, bit) => {
    const changed = Buffer.from(body)
    changed.writeUInt8(changed.readUInt8(place) ^ (1 << bit), place)
    expect(chargily.webhook.verifySignature(changed, VECTOR_SIGNATURE)).toBe(false)
  })
  forAll(100, fc.nat(31), fc.nat(7), (place, bit) => {
    const changed = Buffer.from(VECTOR_SIGNATURE, 'hex')
    changed.writeUInt8(changed.readUInt8(place) ^ (1 << bit), place)
    expect(chargily.webhook.verifySignature(body, changed.toString('hex'))).toBe(false)
  })
})

test('while keys rotate, both sign; a third does not', () => {
  expect(chargily.webhook.verifySignature(body, signed(OLD_KEY))).toBe(true)
  expect(chargily.webhook.verifySignature(body, signed('test_sk_stranger'))).toBe(false)
  expect(chargily.webhook.verifySignature(body, signed(''))).toBe(false)
  const rotated = createChargily({ secretKey: VECTOR_KEY })
  expect(rotated.webhook.verifySignature(body, signed(OLD_KEY))).toBe(false)
})

const OTHERS = [
  ...[undefined, '', `sha256=${VECTOR_SIGNATURE}`, VECTOR_SIGNATURE.slice(1), `${VECTOR_SIGNATURE}0`],
  ...[`${VECTOR_SIGNATURE}\n`, ` ${VECTOR_SIGNATURE}`, `${VECTOR_SIGNATURE}, ${VECTOR_SIGNATURE}`],
  ...[VECTOR_SIGNATURE.replace('f', 'g'), Buffer.from(VECTOR_SIGNATURE, 'hex').toString('base64')],
]

test('only bare hex of 32 bytes is a signature', () => {
  expect(OTHERS.filter((signature) => chargily.webhook.verifySignature(body, signature))).toEqual([])
})

test('it never throws and believes nothing else, whatever it is given', () => {
  // `anything` is no Uint8Array and no string: the cast is the point, JavaScript callers have no types.
  const verify = chargily.webhook.verifySignature as (body: unknown, signature: unknown) => boolean
  forAll(
    100,
    fc.anything(),
    fc.oneof(fc.anything(), fc.constant(VECTOR_SIGNATURE)),
    (anything, signature) => {
      expect(verify(anything, signature)).toBe(false)
    },
  )
})
