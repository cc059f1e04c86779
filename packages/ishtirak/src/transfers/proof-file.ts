// What a file is by its content, whatever its name and its sender say: a picture or a PDF. Of a picture the
// headers are read, within bounds, and no pixel; a PDF is recognised by its header and its end mark and
// is not looked into. Sources: ISO/IEC 10918-1 (JPEG), the PNG specification (third edition), ISO 32000-1
// (PDF).
import { crc32 } from 'node:zlib'
import { inSlices } from '../runtime/async.js'
import type { ProofType } from './decide-transfer.js'

/** Why a file is refused. */
type ProofProblem =
  /** Neither a JPEG nor a PNG nor a PDF. */
  | 'not_recognized'
  /** It ends early, or its parts are not where they should be. */
  | 'damaged'
  | 'too_many_pixels'

export type ProofFile =
  | {
      readonly type: ProofType
      /** Bytes of it that are the file; what follows is left out. */
      readonly length: number
    }
  | { readonly problem: ProofProblem }

/** A reader has to hold 4 bytes for each pixel. Phones take pictures of 50 million. */
const PIXELS_MAX = 64_000_000
const SIDE_MAX = 16_384

export async function readProofFile(bytes: Buffer): Promise<ProofFile> {
  if (startsWith(bytes, JPEG_START)) return inSlices(readJpeg(bytes))
  if (startsWith(bytes, PNG_START)) return inSlices(readPng(bytes))
  if (bytes.subarray(0, PDF_HEAD_BYTES).includes(PDF_START)) return readPdf(bytes)
  return { problem: 'not_recognized' }
}

const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])
const PNG_START = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const PDF_START = Buffer.from('%PDF-')
/** Readers look for the header in so many bytes (Adobe's supplement to ISO 32000, 3.4.1). */
const PDF_HEAD_BYTES = 1_024

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start)
}

function sizeProblem(width: number, height: number): ProofFile | null {
  if (width === 0 || height === 0) return { problem: 'damaged' }
  const isTooLarge = Math.max(width, height) > SIDE_MAX || width * height > PIXELS_MAX
  return isTooLarge ? { problem: 'too_many_pixels' } : null
}

const DAMAGED: ProofFile = { problem: 'damaged' }

const PDF_END = Buffer.from('%%EOF')
/** Readers look for the end mark in so many bytes at the end (Adobe's supplement to ISO 32000, 3.4.4). */
const PDF_TAIL_BYTES = 1_024

function readPdf(bytes: Buffer): ProofFile {
  const end = bytes.lastIndexOf(PDF_END)
  if (end < 0 || end < bytes.length - PDF_TAIL_BYTES) return DAMAGED
  return { type: 'application/pdf', length: end + PDF_END.length }
}

/** A few milliseconds of work, after which the event loop turns. */
const SLICE_BYTES = 256 * 1024
const SLICE_STEPS = 1_024

const MARKER = { begin: 0xd8, end: 0xd9, scan: 0xda, temporary: 0x01 }

/** Up to the end marker. What phones write behind it (Samsung's trailer, motion pictures) is left out. */
function* readJpeg(bytes: Buffer): Generator<void, ProofFile> {
  let at = 2
  let steps = 0
  let hasFrame = false
  let hasScan = false
  while (at + 1 < bytes.length) {
    if (++steps % SLICE_STEPS === 0) yield
    if (bytes[at] !== 0xff) return DAMAGED
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (marker === MARKER.end) return hasScan ? { type: 'image/jpeg', length: at + 2 } : DAMAGED
    else if (marker === MARKER.temporary || isRestart(marker)) at += 2
    else {
      const end = at + 2 + (at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0)
      if (marker === 0 || marker === MARKER.begin || end < at + 4 || end > bytes.length) return DAMAGED
      if (isFrame(marker)) {
        // Of several frames a reader may take any.
        if (hasFrame || end < at + 10) return DAMAGED
        const problem = sizeProblem(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
        if (problem) return problem
        hasFrame = true
      }
      if (marker === MARKER.scan) {
        if (!hasFrame) return DAMAGED
        hasScan = true
      }
      at = marker === MARKER.scan ? yield* scanEnd(bytes, end) : end
    }
  }
  return DAMAGED
}

/** A frame's header; the others of this range are tables. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7
}

/** Where the coded data end: at the next marker that does not belong to them. */
function* scanEnd(bytes: Buffer, from: number): Generator<void, number> {
  let steps = 0
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if (++steps % SLICE_STEPS === 0) yield
    const next = bytes[at + 1]
    if (next !== 0 && next !== 0xff && next !== undefined && !isRestart(next)) return at
  }
  return bytes.length
}

/** Length, type and checksum around the data of a chunk. */
const CHUNK_FRAME = 12

/** Every chunk with its checksum, from the header to the end, behind which nothing is stored. */
function* readPng(bytes: Buffer): Generator<void, ProofFile> {
  let at = PNG_START.length
  let steps = 0
  let hasData = false
  while (at + CHUNK_FRAME <= bytes.length) {
    if (++steps % SLICE_STEPS === 0) yield
    const length = bytes.readUInt32BE(at)
    const end = at + CHUNK_FRAME + length
    if (end > bytes.length) return DAMAGED
    const checksum = yield* sliced(bytes.subarray(at + 4, end - 4), 0, (part, sum) => crc32(part, sum))
    if (checksum !== bytes.readUInt32BE(end - 4)) return DAMAGED
    const type = bytes.toString('latin1', at + 4, at + 8)
    const isFirst = at === PNG_START.length
    if (isFirst !== (type === 'IHDR') || !/^[A-Za-z]{4}$/.test(type)) return DAMAGED
    if (isFirst) {
      if (length !== 13) return DAMAGED
      const problem = sizeProblem(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12))
      if (problem) return problem
    }
    if (type === 'IEND') return hasData && length === 0 ? { type: 'image/png', length: end } : DAMAGED
    hasData ||= type === 'IDAT' && length > 0
    at = end
  }
  return DAMAGED
}

/** `take` on one part of the bytes after the other, each with what it gave for the part before. */
export function* sliced<Value>(
  bytes: Buffer,
  first: Value,
  take: (part: Buffer, before: Value) => Value,
): Generator<void, Value> {
  let value = first
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    if (at > 0) yield
    value = take(bytes.subarray(at, at + SLICE_BYTES), value)
  }
  return value
}
