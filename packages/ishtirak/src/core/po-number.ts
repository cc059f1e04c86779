// The number that a buyer gives their own order: it stands on their documents as it was typed.

export const PO_NUMBER_MAX = 40
/**
 * Letters, digits, and what stands between them; no control character turns the line of a document around.
 */
export const PO_NUMBER_PATTERN = '^[\\p{L}\\p{N}]([\\p{L}\\p{M}\\p{N} ./_#°:()-]*[\\p{L}\\p{M}\\p{N})])?$'

const WRITTEN = new RegExp(PO_NUMBER_PATTERN, 'u')

export function isPoNumber(typed: string): boolean {
  return Array.from(typed).length <= PO_NUMBER_MAX && WRITTEN.test(typed)
}
