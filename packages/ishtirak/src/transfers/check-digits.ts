// The check digits of accounts, which keep a mistyped one from being shown.
// Sources, read 2026-11-21: the key of a CCP is what `chemsou00/DZ-POST-TOOLS` and a public calculator agree
// on; that of RIP and RIB is instruction 06-2004 of the Banque d’Algérie as `rib-validator-dz` and two
// validators in other languages read it; an IBAN is ISO 13616 (remainder 1 modulo 97).

/** The number on 10 digits, weights 13 to 4 from the left, modulo 100. */
export function ccpKey(number: string): string {
  const digits = [...number.padStart(10, '0')].map(Number)
  const sum = digits.reduce((total, digit, index) => total + digit * (13 - index), 0)
  return String(sum % 100).padStart(2, '0')
}

/** The last two digits of a RIP or RIB, from the 18 before: 97 less 100 × branch and account, modulo 97. */
function ribKey(withoutKey: string): string {
  const branchAndAccount = BigInt(withoutKey.slice(3, 18))
  return String(97n - ((branchAndAccount * 100n) % 97n)).padStart(2, '0')
}

/** A CCP is bank 007, branch 99999. */
export function ripOfCcp(number: string): string {
  const withoutKey = `00799999${number.padStart(10, '0')}`
  return withoutKey + ribKey(withoutKey)
}

export function isRib(digits: string): boolean {
  return digits.slice(18) === ribKey(digits.slice(0, 18))
}

/** Whether the check digits of an IBAN are right: upper case, no separators. */
export function isIban(iban: string): boolean {
  const rearranged = iban.slice(4) + iban.slice(0, 4)
  const digits = rearranged.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return BigInt(digits) % 97n === 1n
}
