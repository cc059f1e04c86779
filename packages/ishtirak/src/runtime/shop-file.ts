// The part of SELLER_FILE that customers see: links, logo, color. A color on which text cannot be read, or a logo that
// would make every page heavy, stops the start.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { contrastBetween, READABLE_CONTRAST } from '../core/color.js'
import type { Translated } from '../core/locale.js'
import type { Shop } from '../core/shop.js'

interface ShopFields {
  readonly terms_url: string | Translated
  readonly refund_url: string | Translated
  /** Relative to the folder of SELLER_FILE. */
  readonly logo?: string
  readonly color?: string
}

/** Every page carries the logo, and is to stay under 30 kB. */
const LOGO_BYTES_MAX = 6 * 1024
const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Gives the shop, or every problem found. */
export function readShop(fields: ShopFields, folder: string): Shop | readonly string[] {
  const logo = fields.logo === undefined ? null : readLogo(path.resolve(folder, fields.logo))
  const problems = [
    ...(typeof logo === 'object' && logo !== null ? [logo.problem] : []),
    ...colorProblems(fields),
    ...linkProblems('terms_url', fields.terms_url),
    ...linkProblems('refund_url', fields.refund_url),
  ]
  if (problems.length > 0) return problems
  return {
    termsUrl: inEachLanguage(fields.terms_url),
    refundUrl: inEachLanguage(fields.refund_url),
    logo: typeof logo === 'string' ? logo : null,
    color: fields.color?.toLowerCase() ?? null,
  }
}

/** One text for all three languages, or one for each. */
export function inEachLanguage(words: string | Translated): Translated {
  return typeof words === 'string' ? { ar: words, fr: words, en: words } : words
}

/** What the pattern of the schema cannot say. */
function linkProblems(field: string, link: string | Translated): readonly string[] {
  const isGood = (address: string) => URL.canParse(address) && new URL(address).username === ''
  const isLink = Object.values(inEachLanguage(link)).every(isGood)
  return isLink ? [] : [`SELLER_FILE /${field}: must be an address such as https://atlas.example/terms`]
}

/** `--page` of the light colors in portal.css: links stand on it, and white text on the color has a little more. */
const PAGE = '#f3f6f4'

function colorProblems({ color }: ShopFields): readonly string[] {
  if (color === undefined) return []
  const contrast = contrastBetween(color, PAGE)
  if (contrast >= READABLE_CONTRAST) return []
  const found = contrast.toFixed(1)
  return [
    `SELLER_FILE /color: text in ${color} has a contrast of ${found} on a page; choose a darker color (4.5)`,
  ]
}

function readLogo(file: string): string | { readonly problem: string } {
  const bytes = bytesOf(file)
  if (typeof bytes === 'string') return { problem: `SELLER_FILE /logo: cannot be read: ${bytes} (${file})` }
  if (bytes.length > LOGO_BYTES_MAX) {
    return {
      problem: `SELLER_FILE /logo: ${bytes.length} bytes; every page carries it, so at most ${LOGO_BYTES_MAX}`,
    }
  }
  const type = typeOf(bytes)
  if (type === null) return { problem: `SELLER_FILE /logo: neither a PNG nor an SVG (${file})` }
  return `data:${type};base64,${bytes.toString('base64')}`
}

/** The file, or why not. */
function bytesOf(file: string): Buffer | string {
  try {
    // A device or a pipe has no end.
    return statSync(file).isFile() ? readFileSync(file) : 'it is no file'
  } catch (error) {
    if (error instanceof Error && 'code' in error) return String(error.code)
    throw error
  }
}

/** Told by the first bytes, not by the name. A browser runs no script of a picture in an `img`. */
function typeOf(bytes: Buffer): string | null {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'image/png'
  return isSvg(bytes.toString('utf8')) ? 'image/svg+xml' : null
}

/** What may stand before the root of a drawing, with its end. */
const PROLOG = [
  ['<?', '?>'],
  ['<!--', '-->'],
  ['<!DOCTYPE', '>'],
] as const

function isSvg(text: string): boolean {
  let rest = text.trimStart()
  for (;;) {
    const part = PROLOG.find(([start]) => rest.startsWith(start))
    if (!part) return /^<svg[\s/>]/.test(rest)
    const end = rest.indexOf(part[1])
    if (end === -1) return false
    rest = rest.slice(end + part[1].length).trimStart()
  }
}
