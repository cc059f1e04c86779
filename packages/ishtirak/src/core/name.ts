// Names as users choose them.

/** Of names, addresses and ids of users: what turns the direction of the text around them is left out. */
export function plainName(name: string): string {
  return name.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
}
