// An amount as people type it or copy it from a statement of account: with spaces, a comma, a point,
// centimes, a currency. What can mean two amounts is not guessed at. Pure.

export type TypedAmount =
  | { readonly kind: 'dinars'; readonly dinars: number }
  /** Dinars with centimes other than 00, which are not booked. */
  | { readonly kind: 'centimes' }
  /** `1.980`: the dinars that it means where the sign separates thousands. */
  | { readonly kind: 'ambiguous'; readonly grouped: number }
  | { readonly kind: 'unreadable' }

/** Arabic-Indic and Persian digits as those of this language. */
export function latinDigits(text: string): string {
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String((digit.codePointAt(0) ?? 0) % 16))
}

const CURRENCY = String.raw`(?:DA|DZD|د\.?ج\.?|دينار)`
const AROUND = new RegExp(`^(?:${CURRENCY} ?)?(.*?)(?: ?${CURRENCY})?$`, 'iu')
const GROUPS = [' ', '.', ','].map((sign) => `[1-9]\\d{0,2}(?:[${sign}]\\d{3})+`)
const FIGURE = new RegExp(`^(\\d+|${GROUPS.join('|')})(?:([.,])(\\d{1,2}))?$`)

export function readTypedAmount(typed: string): TypedAmount {
  // Copied text has signs that turn its direction, and spaces of several kinds.
  const plain = latinDigits(typed.normalize('NFKC').replace(/\p{Cf}/gu, ''))
  const spaced = plain.replace(/\u066b/g, ',').replace(/[\s\u066c]+/g, ' ')
  const figure = AROUND.exec(spaced.trim())?.[1] ?? ''
  const [, whole, sign, centimes] = FIGURE.exec(figure) ?? []
  if (whole === undefined || (sign !== undefined && whole.includes(sign))) return { kind: 'unreadable' }
  const dinars = Number(whole.replace(/\D/g, ''))
  if (sign === undefined && /^\d+[.,]\d{3}$/.test(whole)) return { kind: 'ambiguous', grouped: dinars }
  return Number(centimes ?? 0) === 0 ? { kind: 'dinars', dinars } : { kind: 'centimes' }
}
