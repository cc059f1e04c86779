import { ccpKey, isIban, isRib, ripOfCcp } from './check-digits.js'

/** Each text with one digit changed. */
const mistyped = (digits: string) =>
  [...digits].flatMap((right, place) =>
    [...'0123456789']
      .filter((digit) => digit !== right)
      .map((digit) => digits.slice(0, place) + digit + digits.slice(place + 1)),
  )

describe('an account', () => {
  it('of the post has a key of its own, and as a RIP another', () => {
    expect([ccpKey('0023456789'), ccpKey('23456789')]).toEqual(['88', '88'])
    expect(ripOfCcp('23456789')).toBe('00799999002345678941')
  })

  it('of a bank has the same kind of key', () => {
    expect(isRib('00400174401001050486')).toBe(true)
    // The example has a remainder of 0, which is written 97.
    expect(isRib('00799999000000000097')).toBe(ripOfCcp('0').endsWith('97'))
  })

  it('with one wrong digit is none, but for the number of the bank, which the key leaves out', () => {
    const wrong = mistyped('00400174401001050486').filter((digits) => digits.startsWith('004'))
    expect([wrong.length, wrong.filter(isRib)]).toEqual([17 * 9, []])
  })

  it('has an IBAN of any country', () => {
    const ibans = ['GB82WEST12345698765432', 'DZ4000400174401001050486', 'FR1420041010050500013M02606']
    for (const iban of ibans) {
      expect.soft(isIban(iban), String(iban)).toBe(true)
      const wrong = mistyped(iban.slice(2, 4)).map((check) => `${iban.slice(0, 2)}${check}${iban.slice(4)}`)
      expect.soft(wrong.filter(isIban), String(iban)).toEqual([])
    }
  })
})
