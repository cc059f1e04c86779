// Which characters a TrueType font can draw, read from its `cmap` table. The typesetter refuses a page with a
// character that no font has, and a customer's name may hold anything, so coverage is checked first. Only
// the subtable of Unicode's basic plane (platform 3, encoding 1, format 4) is read: the fonts of the receipts
// have no other characters. Source: OpenType specification, "cmap — Character To Glyph Index Mapping Table".

/** Whether the font has a glyph for a code point. Throws `RangeError` on a font without that subtable. */
export function readCoverage(font: Buffer): (codePoint: number) => boolean {
  const tables = records(font, { countAt: 4, start: 12, bytes: 16 })
  const cmap = tables.find((record) => font.toString('latin1', record, record + 4) === 'cmap')
  if (cmap === undefined) throw new RangeError('a font without a cmap table')
  const start = font.readUInt32BE(cmap + 8)
  const subtables = records(font, { countAt: start + 2, start: start + 4, bytes: 8 })
  const basicPlane = subtables.find((record) => font.readUInt32BE(record) === 0x0003_0001)
  const subtable = basicPlane === undefined ? 0 : start + font.readUInt32BE(basicPlane + 4)
  if (font.readUInt16BE(subtable) !== 4) throw new RangeError('a font without a cmap of format 4')
  const covered = new Set(codePointsOf(font, subtable))
  return (codePoint) => covered.has(codePoint)
}

/** The offsets of records of equal length, which come after their number. */
function records(font: Buffer, of: { countAt: number; start: number; bytes: number }): readonly number[] {
  return Array.from({ length: font.readUInt16BE(of.countAt) }, (_, index) => of.start + index * of.bytes)
}

/** Format 4: parallel arrays of last codes, first codes, deltas and offsets; a segment may have holes. */
function codePointsOf(font: Buffer, start: number): readonly number[] {
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
    const codes = Array.from({ length: last - first + 1 }, (_, step) => first + step)
    // The last segment, U+FFFF, only closes the list.
    return last === 0xffff ? [] : codes.filter(hasGlyph)
  }).flat()
}
