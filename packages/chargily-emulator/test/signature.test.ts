// The signed bytes. The vector is the published one: made with PHP's escapes, checked with openssl.
import { expect, test } from 'vitest'
import { sign } from '../src/api-keys.js'
import { encodeWireEvent } from '../src/event.js'
import { encodePhpJson, inMysqlOrder } from '../src/php-json.js'

const VECTOR_KEY = 'test_sk_emulatorvector000000000000000000000000'
const VECTOR_BODY = String.raw`
{"id":"01hf7yb8mr000000000000evt1","entity":"event","type":"checkout.paid",
"data":{"id":"01hf7yat00000000000000chk1","fees":0,"amount":2000,"entity":"checkout","locale":"ar",
"status":"paid","currency":"dzd","discount":null,"livemode":false,"metadata":{"plan":"pro",
"invoice_id":"inv_42"},"created_at":1700000000,"invoice_id":null,"updated_at":1700000015,
"customer_id":"01hf7msmc0000000000000cst1","description":"\u062e\u0637\u0629 pro",
"failure_url":"https:\/\/app.example.dz\/billing\/ko",
"success_url":"https:\/\/app.example.dz\/billing\/ok",
"checkout_url":"https:\/\/pay.chargily.dz\/test\/checkouts\/01hf7yat00000000000000chk1\/pay",
"payment_method":"edahabia","payment_link_id":null,"fees_on_customer":0,"fees_on_merchant":0,
"shipping_address":null,"webhook_endpoint":null,"pass_fees_to_customer":null,
"amount_without_discount":0,"collect_shipping_address":0,"chargily_pay_fees_allocation":"merchant"},
"created_at":1700000015,"updated_at":1700000015,"livemode":false}
`.replaceAll('\n', '')
const VECTOR_SIGNATURE = 'fa0a629beae568d90b31ec4578a177edfcdd20b2caf691b9007bb2c39ca72ef6'

test('the published vector has the published signature', () => {
  expect(Buffer.byteLength(VECTOR_BODY)).toBe(972)
  expect(sign(VECTOR_BODY, VECTOR_KEY)).toBe(VECTOR_SIGNATURE)
})

test("the vector's data, in any order, is encoded to the vector's bytes", () => {
  const parsed = JSON.parse(VECTOR_BODY)
  const shuffled = Object.fromEntries(Object.entries<never>(parsed.data).reverse())

  const body = encodeWireEvent({
    id: parsed.id,
    type: 'checkout.paid',
    at: 1_700_000_015,
    livemode: false,
    data: shuffled,
  })

  expect(body).toBe(VECTOR_BODY)
})

test('a body that is parsed and written again has another signature', () => {
  const again = JSON.stringify(JSON.parse(VECTOR_BODY))
  expect(sign(again, VECTOR_KEY)).toMatch(/^3bd798e9.*e753$/)
})

test('text is escaped as json_encode does: slashes and all non-ASCII characters', () => {
  expect(encodePhpJson('a/b "é" \u{1F642}\n\u0001')).toBe(String.raw`"a\/b \"\u00e9\" \ud83d\ude42\n\u0001"`)
})

test('an empty object is written as an empty array', () => {
  expect(encodePhpJson({ metadata: {}, list: [{}] })).toBe('{"metadata":[],"list":[[]]}')
})

test('keys are sorted by their length in bytes, then by their bytes, at every depth', () => {
  // é is two bytes, so it comes after every single letter and with the pairs.
  const sorted = inMysqlOrder({ long: 1, é: 2, z: [{ bb: 1, a: 2 }], B: 3, ab: 4 })
  expect(JSON.stringify(sorted)).toBe('{"B":3,"z":[{"a":2,"bb":1}],"ab":4,"é":2,"long":1}')
})

test('a key named __proto__ is a key like any other', () => {
  expect(encodePhpJson(inMysqlOrder(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}')
})
