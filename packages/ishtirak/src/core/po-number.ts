// The number of the buyer's own purchase order. Documents show it as it was typed.

export const PO_NUMBER_MAX = 40
/** Letters, digits and common separators. Control characters could reverse a line of a document. */
export const PO_NUMBER_PATTERN = '^[\\p{L}\\p{N}]([\\p{L}\\p{M}\\p{N} ./_#°:()-]*[\\p{L}\\p{M}\\p{N})])?$'

const WRITTEN = new RegExp(PO_NUMBER_PATTERN, 'u')

export function isPoNumber(typed: string): boolean {
  return Array.from(typed).length <= PO_NUMBER_MAX && WRITTEN.test(typed)
}
