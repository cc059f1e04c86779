// Names as users choose them.

/**
 * Removes the characters that change the direction of the surrounding text, for names, addresses and user
 * ids.
 */
export function plainName(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}
