// Reads a telephone number that people type into the form in which it is stored: E.164.
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/**
 * `+213555123456` of `0555 12 34 56`, `+213 (0) 555-12-34-56`, `٠٥٥٥١٢٣٤٥٦`. Without a country's code it is
 * one of Algeria. Null: no country has such a number.
 */
export function readPhone(typed: string): string | null {
  const plain = typed.normalize('NFKC').replace(/\p{Cf}/gu, '')
  // In longer texts the library looks for a number; here the whole text is one.
  if (!/^[+\d٠-٩۰-۹][\d٠-٩۰-۹\s().\-/\u2010-\u2015]*$/.test(plain.trim())) return null
  const found = parsePhoneNumberFromString(plain, 'DZ')
  return found?.isValid() ? found.number : null
}
