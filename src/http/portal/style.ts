// The style sheet of all pages, read once and inlined: the first paint needs one round trip. The policy names its very
// hash, so that no other style, and no script at all, can come to life on a page.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

export const STYLE = readFileSync(new URL('./portal.css', import.meta.url), 'utf8')
  .replace(/\/\*[\s\S]*?\*\//g, '')
  .replace(/\s*\n\s*/g, '')
  .replace(/\s*([{};,>])\s*/g, '$1')
  .replace(/:\s+/g, ':')

const HASH = createHash('sha256').update(STYLE).digest('base64')

/**
 * The header fields of every page. No `form-action`: browsers apply it to the redirect after a form too, and that one
 * leads to the provider, whose addresses are his own business.
 */
export function pageHeaders(frameAncestors: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${HASH}'`,
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
