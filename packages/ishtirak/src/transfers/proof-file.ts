// Tells a picture and a PDF by the marks in the file, whatever its name and its sender say. Of a picture the
// size is read, and no pixel; a PDF is not looked into. Sources: ISO/IEC 10918-1 (JPEG), the PNG
// specification (third edition), and Adobe's supplement to ISO 32000 (PDF).
import { fileRefused } from '../http/upload.js'

/**
 * `start` is in the first `within` bytes of a file, and at most `behind` bytes follow the beginning of the
 * last `end`. `sizeOf` is null if no size is found.
 */
const FORMATS = [
  {
    type: 'image/jpeg',
    ...{ start: Buffer.from([0xff, 0xd8, 0xff]), within: 3 },
    ...{ end: Buffer.from([0xff, 0xd9]), behind: Number.POSITIVE_INFINITY },
    sizeOf: sizeOfJpeg,
  },
  {
    type: 'image/png',
    ...{ start: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR', 'latin1'), within: 16 },
    ...{ end: Buffer.from('\0\0\0\0IEND\xaeB`\x82', 'latin1'), behind: Number.POSITIVE_INFINITY },
    sizeOf: (bytes: Buffer) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  // Readers look for both marks in so many bytes (3.4.1 and 3.4.4).
  {
    type: 'application/pdf',
    ...{ start: Buffer.from('%PDF-'), within: 1_024, end: Buffer.from('%%EOF'), behind: 1_024 },
    sizeOf: () => ({ width: 1, height: 1 }),
  },
] as const

export const PROOF_TYPES = FORMATS.map(({ type }) => type)
export type ProofType = (typeof PROOF_TYPES)[number]

/** A reader has to hold 4 bytes for each pixel. Phones take pictures of 50 million. */
const PIXELS_MAX = 64_000_000
const SIDE_MAX = 16_384

/**
 * `length`: bytes of it that are the file; what follows is left out, such as the trailers that phones write.
 * Throws `file_not_accepted`: `damaged` has no end, or is a picture without a size.
 */
export function readProofFile(bytes: Buffer) {
  const format = FORMATS.find(({ start, within }) => bytes.subarray(0, within).includes(start))
  if (!format) throw fileRefused('not_recognized')
  const { type, end: mark, behind, sizeOf } = format
  const end = bytes.lastIndexOf(mark)
  if (end < 0 || end < bytes.length - behind) throw fileRefused('damaged')
  const size = sizeOf(bytes)
  if (!size || size.width === 0 || size.height === 0) throw fileRefused('damaged')
  if (Math.max(size.width, size.height) > SIDE_MAX || size.width * size.height > PIXELS_MAX)
    throw fileRefused('too_many_pixels')
  return { type, length: end + mark.length }
}

/** The size stands in the header of the frame, behind segments that each say their length. */
function sizeOfJpeg(bytes: Buffer) {
  for (let at = 2; at + 9 <= bytes.length; ) {
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff || marker === 0) return null
    if (isFrame(marker)) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** A frame's header; the others of this range are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}
