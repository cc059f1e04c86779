// The style sheet of all pages, read once and inlined: the first paint needs one round trip. The policy names its very
// hash, so that no other style, and no script at all, can come to life on a page.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { lightenedFor } from '../core/color.js'

const SHEET = readFileSync(new URL('./portal.css', import.meta.url), 'utf8')
  .replace(/\/\*[\s\S]*?\*\//g, '')
  .replace(/\s*\n\s*/g, '')
  .replace(/\s*([{};,>])\s*/g, '$1')
  .replace(/:\s+/g, ':')

/** `--card` of the dark colors in portal.css. */
const DARK_CARD = '#18211d'

/** `color`: the seller's, `#rrggbb`; null: that of the sheet. */
export function styleWith(color: string | null): string {
  if (color === null) return SHEET
  const dark = lightenedFor(color, DARK_CARD)
  return `${SHEET}:root{--brand:${color};--action:${color};--accent:${color}}@media (prefers-color-scheme:dark){:root{--accent:${dark}}}`
}

/**
 * The header fields of every page. No `form-action`: browsers apply it to the redirect after a form too, and that one
 * leads to the provider, whose addresses are its own business.
 */
export function pageHeaders(style: string, frameAncestors: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    `frame-ancestors ${frameAncestors}`,
  ]
  return {
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'content-type': 'text/html; charset=utf-8',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}
