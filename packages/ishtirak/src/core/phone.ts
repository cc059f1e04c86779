// A telephone number as people type it, in the one form in which it is stored: E.164. Pure.
import { latinDigits } from './typed-amount.js'

/** National numbers of Algeria: a mobile has nine digits behind the 0, a landline eight. */
const NATIONAL = /^0([5-7]\d{8}|[1-49]\d{7})$/
const INTERNATIONAL = /^(?:\+|00)(?:(213)0?([5-7]\d{8}|[1-49]\d{7})|((?!0|213)\d{7,15}))$/

/** `+213555123456` of `0555 12 34 56`, `+213 (0) 555-12-34-56`, `٠٥٥٥١٢٣٤٥٦`; null: it is none. */
export function readPhone(typed: string): string | null {
  const plain = latinDigits(typed.normalize('NFKC').replace(/\p{Cf}/gu, ''))
  const digits = plain.replace(/[\s().\-/\u2010-\u2015]/g, '')
  const [, national] = NATIONAL.exec(digits) ?? []
  if (national !== undefined) return `+213${national}`
  const [, algeria, own, abroad] = INTERNATIONAL.exec(digits.replace(/^213/, '+213')) ?? []
  return algeria === undefined ? (abroad === undefined ? null : `+${abroad}`) : `+213${own}`
}
