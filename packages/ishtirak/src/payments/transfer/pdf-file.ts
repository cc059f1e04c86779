// Whether a PDF is whole and does nothing when it is opened. Every name in it is looked at, escaped ones and those in compressed
// object streams too; what cannot be looked at (encryption, other filters) is refused. Source: ISO 32000-1, 7.3.5 and 7.5 to 7.7.
import { inflateSync } from 'node:zlib'

export type PdfFile = { readonly length: number } | { readonly problem: 'damaged' | 'active_content' }

const END = Buffer.from('%%EOF')
const REFUSED = { problem: 'active_content' } as const
const DAMAGED = { problem: 'damaged' } as const

export function readPdf(bytes: Buffer): PdfFile {
  if (!/^%PDF-[12]\.\d/.test(bytes.toString('latin1', 0, 8))) return DAMAGED
  const end = bytes.lastIndexOf(END)
  if (end < 0) return DAMAGED
  const file = bytes.subarray(0, end + END.length)
  if (!hasTableAt(file, file.toString('latin1', Math.max(0, end - 64)))) return DAMAGED
  // A ZIP is read from its end: its readers find theirs in a PDF around it.
  if (file.includes(ZIP_END)) return REFUSED
  const left: Left = { inflated: INFLATED_MAX, hasRoot: false, streams: new Set(), outlines: OUTLINES_MAX }
  if (!isQuiet(file, left, true)) return REFUSED
  return left.hasRoot ? { length: file.length } : DAMAGED
}

const ZIP_END = Buffer.from('PK\x05\x06', 'latin1')

/** The last lines say where the table of the objects is: a file that was cut has none there. */
function hasTableAt(file: Buffer, tail: string): boolean {
  const [, offset = ''] = /startxref\s+(\d{1,9})\s+%%EOF$/.exec(tail) ?? []
  if (offset === '') return false
  return /^\s{0,4}(xref\s|\d+\s+\d+\s+obj)/.test(file.toString('latin1', Number(offset), Number(offset) + 32))
}

/** More are no slip, and each has to be read to its end. */
const OUTLINES_MAX = 1_000

/** Of all object streams together. A page of a bank's has a few kilobytes. */
const INFLATED_MAX = 4 * 1024 * 1024

interface Left {
  inflated: number
  hasRoot: boolean
  /** Where the object streams begin that were looked at: two names lead to each. */
  readonly streams: Set<number>
  /** Dictionaries with `/First` that are no stream's, as those of an outline. */
  outlines: number
}

/** Names that no slip needs: actions, scripts, files inside, media, and encryption, which hides all of these. */
const REFUSED_NAMES = new Set([
  'JavaScript',
  'Launch',
  'SubmitForm',
  'ImportData',
  'GoToR',
  'GoToE',
  'Rendition',
  'RichMedia',
  'RichMediaExecute',
  'Movie',
  'Sound',
  'XFA',
  'EmbeddedFile',
  'EmbeddedFiles',
  'FileAttachment',
  'Collection',
  'Encrypt',
])

/** Three bytes may be an accident in a picture's: refused before what they take (a string, a dictionary, a reference). */
const TAKES_VALUE = /^[\0\s]*([(<%]|\d+\s+\d+\s+R)/
const REFUSED_BEFORE: Readonly<Record<string, RegExp>> = {
  JS: TAKES_VALUE,
  AA: TAKES_VALUE,
  EF: TAKES_VALUE,
  // A place in the document, as LibreOffice writes it, is no action.
  OpenAction: /^(?![\0\s]*\[)/,
}

const SLASH = 0x2f
const LONGEST_NAME = Math.max(...[...REFUSED_NAMES].map(({ length }) => length))

function isQuiet(bytes: Buffer, left: Left, isFile: boolean): boolean {
  for (let at = bytes.indexOf(SLASH); at >= 0; at = bytes.indexOf(SLASH, at + 1)) {
    const [name, end] = nameAt(bytes, at + 1)
    if (REFUSED_NAMES.has(name)) return false
    const before = Object.hasOwn(REFUSED_BEFORE, name) ? REFUSED_BEFORE[name] : undefined
    if (before?.test(bytes.toString('latin1', end, end + 32))) return false
    if (name === 'Root') left.hasRoot = true
    const isObjectStream = name === 'ObjStm' || (name === 'First' && isFile && isOfStream(bytes, end, left))
    if (isObjectStream && !(isFile && isQuietStream(bytes, at, left))) return false
  }
  return true
}

/**
 * Whether the dictionary that goes on at `at` is a stream's. Readers take a stream for an object stream where another place says
 * so, whatever its own type: what tells it is `/First`.
 */
function isOfStream(bytes: Buffer, at: number, left: Left): boolean {
  left.outlines -= 1
  if (left.outlines < 0) return true
  const text = bytes.toString('latin1', at, at + LONGEST_DICTIONARY)
  let [dictionaries, strings] = [1, 0]
  for (let index = 0; index < text.length; index++) {
    const character = text[index]
    const pair = text.slice(index, index + 2)
    if (strings > 0) {
      if (character === '\\') index += 1
      else strings += character === '(' ? 1 : character === ')' ? -1 : 0
    } else if (character === '(') strings = 1
    else if (character === '%') index += text.slice(index).search(/[\r\n]|$/)
    else if (pair === '<<' || pair === '>>') {
      index += 1
      dictionaries += pair === '<<' ? 1 : -1
      if (dictionaries === 0) return /^([\0\s]|%[^\r\n]*[\r\n])*stream/.test(text.slice(index + 1))
    } else if (character === '<') index += text.slice(index).search(/>|$/)
  }
  return true
}

const ENDS_NAME = new Uint8Array(256)
for (const byte of Buffer.from('\0\t\n\v\f\r \xa0()<>[]{}/%', 'latin1')) ENDS_NAME[byte] = 1

/** `#xx` stands for a byte. Of a name that is longer than any that is looked for, only the beginning. */
function nameAt(bytes: Buffer, start: number): readonly [name: string, end: number] {
  let [name, at] = ['', start]
  for (; name.length <= LONGEST_NAME && at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (ENDS_NAME[byte] === 1) break
    const escaped = byte === ESCAPE ? hexAt(bytes, at + 1) : null
    if (escaped !== null) at += 2
    name += String.fromCharCode(escaped ?? byte)
  }
  return [name, at]
}

const ESCAPE = 0x23

function hexAt(bytes: Buffer, at: number): number | null {
  const digits = bytes.toString('latin1', at, at + 2)
  return /^[\dA-Fa-f]{2}$/.test(digits) ? Number.parseInt(digits, 16) : null
}

const STREAM = Buffer.from('stream')
const OBJECT = Buffer.from('obj')
/** Between `obj` and `stream`. */
const LONGEST_DICTIONARY = 4_096
/** Without strings, comments and escapes, in which one reader would find what another does not. */
const PLAIN_DICTIONARY = /^\d+\s+\d+\s+obj\s*<<[^(%#]*>>\s*$/
const FLATE = /\/Filter\s*(\/FlateDecode|\[\s*\/FlateDecode\s*\])\s*[/>]/

/** An object stream whose name of its type is at `at`. */
function isQuietStream(bytes: Buffer, at: number, left: Left): boolean {
  const keyword = bytes.indexOf(STREAM, at)
  const object = bytes.lastIndexOf(OBJECT, at)
  if (keyword < 0 || object < 0 || keyword - object > LONGEST_DICTIONARY) return false
  if (left.streams.has(keyword)) return true
  left.streams.add(keyword)
  const [number = ''] =
    /\d{1,10}\s{1,9}\d{1,5}\s{1,9}$/.exec(bytes.toString('latin1', Math.max(0, object - 24), object)) ?? []
  const dictionary = bytes.toString('latin1', object - number.length, keyword)
  if (!PLAIN_DICTIONARY.test(dictionary) || !FLATE.test(dictionary)) return false
  if (dictionary.split('/Filter').length !== 2 || /\/(DecodeParms|DP|F|FFilter)\b/.test(dictionary))
    return false
  const [lineEnd] = /^\r?\n/.exec(bytes.toString('latin1', keyword + 6, keyword + 8)) ?? []
  if (lineEnd === undefined) return false
  const inflated = inflate(bytes.subarray(keyword + STREAM.length + lineEnd.length), left.inflated)
  if (!inflated) return false
  left.inflated -= inflated.length
  return isQuiet(inflated, left, false)
}

/** Null: not what its dictionary says, or too much. */
function inflate(bytes: Buffer, most: number): Buffer | null {
  try {
    return inflateSync(bytes, { maxOutputLength: Math.max(1, most) })
  } catch {
    return null
  }
}
