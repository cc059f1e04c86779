// The part of SELLER_FILE that customers see: links, logo, color. A color on which text cannot be read, or a logo that
// would make every page heavy, stops the start.
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { contrastBetween, READABLE_CONTRAST } from '../core/color.js'
import type { Translated } from '../core/locale.js'
import type { Shop } from '../core/receipt.js'
import { codeOf } from './config-file.js'

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

type Report = (problem: string) => void

/** What is not usable is reported, and left out. */
export function readShop(fields: ShopFields, folder: string, report: Report): Shop {
  const { logo, color } = fields
  return {
    logo: logo === undefined ? null : readLogo(path.resolve(folder, logo), report),
    color: color === undefined ? null : readColor(color, report),
    termsUrl: readLink('terms_url', fields.terms_url, report),
    refundUrl: readLink('refund_url', fields.refund_url, report),
  }
}

/** One text for all three languages, or one for each. */
export function inEachLanguage(words: string | Translated): Translated {
  return typeof words === 'string' ? { ar: words, fr: words, en: words } : words
}

/** What the pattern of the schema cannot say. */
function readLink(field: string, link: string | Translated, report: Report): Translated {
  const links = inEachLanguage(link)
  const isGood = (address: string) => URL.canParse(address) && new URL(address).username === ''
  if (!Object.values(links).every(isGood))
    report(`/${field}: must be an address such as https://atlas.example/terms`)
  return links
}

/** `--page` of the light colors in portal.css: links stand on it, and white text on the color has a little more. */
const PAGE = '#f3f6f4'

function readColor(color: string, report: Report): string {
  const contrast = contrastBetween(color, PAGE)
  if (contrast < READABLE_CONTRAST) {
    const found = contrast.toFixed(1)
    report(`/color: text in ${color} has a contrast of ${found} on a page; choose a darker color (4.5)`)
  }
  return color.toLowerCase()
}

function readLogo(file: string, report: Report): string | null {
  try {
    // A device or a pipe has no end.
    const bytes = statSync(file).isFile() ? readFileSync(file) : Buffer.alloc(0)
    const type = typeOf(bytes)
    if (bytes.length > LOGO_BYTES_MAX)
      report(`/logo: ${bytes.length} bytes; every page carries it, so at most ${LOGO_BYTES_MAX}`)
    else if (type === null) report(`/logo: neither a PNG nor an SVG (${file})`)
    return `data:${type};base64,${bytes.toString('base64')}`
  } catch (error) {
    report(`/logo: cannot be read: ${codeOf(error)} (${file})`)
    return null
  }
}

/** By the first bytes, not by the name. A browser runs no script of a picture in an `img`. */
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
