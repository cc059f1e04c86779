// Which characters a TrueType font can draw, read from its `cmap` table. The typesetter refuses a page with a character
// that no font has, and a customer's name may hold anything, so it is known beforehand.
// Source: OpenType specification, "cmap — Character To Glyph Index Mapping Table", formats 4 and 12.

/** Gives whether the font has a glyph for a code point. Throws `RangeError` on what is not a font. */
export function readCoverage(font: Buffer): (codePoint: number) => boolean {
  const cmap = tableAt(font, 'cmap')
  const covered = new Set(subtables(font, cmap).flatMap((start) => codePointsOf(font, start)))
  return (codePoint) => covered.has(codePoint)
}

function tableAt(font: Buffer, name: string): number {
  const tables = font.readUInt16BE(4)
  for (let index = 0; index < tables; index++) {
    const record = 12 + index * 16
    if (font.toString('latin1', record, record + 4) === name) return font.readUInt32BE(record + 8)
  }
  throw new RangeError(`a font without a ${name} table`)
}

/** Where the Unicode subtables begin: platform 0, and platform 3 with encoding 1 or 10. */
function subtables(font: Buffer, cmap: number): readonly number[] {
  return Array.from({ length: font.readUInt16BE(cmap + 2) }, (_, index) => cmap + 4 + index * 8)
    .filter((record) => {
      const platform = font.readUInt16BE(record)
      return platform === 0 || (platform === 3 && [1, 10].includes(font.readUInt16BE(record + 2)))
    })
    .map((record) => cmap + font.readUInt32BE(record + 4))
}

function codePointsOf(font: Buffer, start: number): readonly number[] {
  const format = font.readUInt16BE(start)
  if (format === 4) return segments(font, start)
  if (format === 12) return groups(font, start)
  return []
}

/** Format 4: parallel arrays of last codes, first codes, deltas and offsets; a segment may have holes. */
function segments(font: Buffer, start: number): readonly number[] {
  const bytes = font.readUInt16BE(start + 6)
  return Array.from({ length: bytes / 2 }, (_, index) => {
    const lastAt = start + 14 + index * 2
    const firstAt = lastAt + bytes + 2
    const offsetAt = firstAt + bytes * 2
    const last = font.readUInt16BE(lastAt)
    const first = font.readUInt16BE(firstAt)
    const delta = font.readUInt16BE(firstAt + bytes)
    const offset = font.readUInt16BE(offsetAt)
    const hasGlyph = (code: number) => {
      if (offset === 0) return ((code + delta) & 0xffff) !== 0
      return font.readUInt16BE(offsetAt + offset + (code - first) * 2) !== 0
    }
    // The last segment, U+FFFF, only closes the list.
    return last === 0xffff ? [] : codesBetween(first, last).filter(hasGlyph)
  }).flat()
}

/** Format 12: groups of a first code, a last code and a first glyph. */
function groups(font: Buffer, start: number): readonly number[] {
  return Array.from({ length: font.readUInt32BE(start + 12) }, (_, index) => {
    const group = start + 16 + index * 12
    return codesBetween(font.readUInt32BE(group), font.readUInt32BE(group + 4))
  }).flat()
}

function codesBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, step) => first + step)
}
