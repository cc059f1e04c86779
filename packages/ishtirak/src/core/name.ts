// Names as users choose them.

/** Removes characters that change the direction of the text around a name, an address or a user id. */
export function plainName(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}
