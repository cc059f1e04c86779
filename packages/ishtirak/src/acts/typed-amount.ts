// Reads an amount that people type or copy from a bank statement: with spaces, a comma, a point, centimes, a
// currency. An amount that can mean two things is reported, not guessed. Pure.

export type TypedAmount =
  | { readonly kind: 'dinars'; readonly dinars: number }
  /** It has centimes other than 00, which cannot be booked. */
  | { readonly kind: 'centimes' }
  /** `1.980`: `grouped` is the amount if the point separates thousands. */
  | { readonly kind: 'ambiguous'; readonly grouped: number }
  | { readonly kind: 'unreadable' }

/** Turns Arabic-Indic and Persian digits into Latin digits. */
export function latinDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) % 16))
}

const CURRENCY = String.raw`(?:DA|DZD|د\.?ج\.?|دينار)`
const AROUND = new RegExp(`^(?:${CURRENCY} ?)?(.*?)(?: ?${CURRENCY})?$`, 'iu')
const GROUPS = [' ', '.', ','].map((separator) => `[1-9]\\d{0,2}(?:[${separator}]\\d{3})+`)
const FIGURE = new RegExp(`^(\\d+|${GROUPS.join('|')})(?:([.,])(\\d{1,2}))?$`)

export function readTypedAmount(typed: string): TypedAmount {
  // Copied text may have direction marks and several kinds of spaces.
  const plain = latinDigits(typed.normalize('NFKC').replace(/\p{Cf}/gu, ''))
  const spaced = plain.replace(/\u066b/g, ',').replace(/[\s\u066c]+/g, ' ')
  const figure = AROUND.exec(spaced.trim())?.[1] ?? ''
  const [, whole, separator, centimes] = FIGURE.exec(figure) ?? []
  if (whole === undefined || (separator !== undefined && whole.includes(separator)))
    return { kind: 'unreadable' }
  const dinars = Number(whole.replace(/\D/g, ''))
  if (separator === undefined && /^\d+[.,]\d{3}$/.test(whole)) return { kind: 'ambiguous', grouped: dinars }
  return Number(centimes ?? 0) === 0 ? { kind: 'dinars', dinars } : { kind: 'centimes' }
}
