import { ERRORS, isErrorCode } from '../../packages/ishtirak/src/core/error.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { PLATFORM_KEY } from '../support/platform.js'
import { JWT_SECRET } from '../support/world.js'
import type { FuzzCall } from './draw.js'

export interface FuzzAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

const PAGES = /^\/(portal|console)(?![\w.-])/
const SECRETS = [JWT_SECRET, OPERATOR_KEY, PLATFORM_KEY, 'node_modules', '/src/', '.js:']

export function judge(call: FuzzCall, answer: FuzzAnswer, known: boolean): string[] {
  const { status, headers, text } = answer
  const faults: string[] = []
  const say = (isRight: boolean, fault: string) => {
    if (!isRight) faults.push(fault)
  }
  say(status < 500 || isDocumented(call, answer), `${status} is a failure of ours`)
  say(headers['x-content-type-options'] === 'nosniff', 'no nosniff')
  say(/^[\w.-]{1,64}$/.test(String(headers['x-request-id'])), 'no request id')
  const isDocument = call.path.startsWith('/docs') || call.path.startsWith('/openapi')
  say(isDocument || !SECRETS.some((secret) => text.includes(secret)), 'says what is inside')
  if (!known && status < 400)
    say(isOpen(call) || isSentToSignIn(answer), 'lets a call in without credentials')
  const isForeign = call.method === 'POST' && call.headers['sec-fetch-site'] === 'cross-site'
  if (isForeign && PAGES.test(call.path)) say(status >= 400, 'takes a form of another site')
  if (status === 405) say(headers.allow !== undefined, '405 without Allow')
  if (status === 429) say(Number(headers['retry-after']) > 0, '429 without Retry-After')
  if (status >= 400 && call.method !== 'HEAD') faults.push(...refusalFaults(call, answer))
  return faults
}

/** Public, or what needs no more than its own address. */
function isOpen({ route, method }: FuzzCall): boolean {
  if (method === 'OPTIONS') return true
  const { security } = Object(route.schema)
  if (Array.isArray(security)) return security.length === 0
  if (['/console/sign-in', '/portal/sign-in'].includes(route.url)) return method !== 'POST'
  return !/^\/(portal|console)/.test(route.url)
}

function isSentToSignIn({ status, headers }: FuzzAnswer): boolean {
  // A form of the portal is always answered by the way to a page, which then says that the session is over.
  return status === 303 && /\/(console\/sign-in|portal|portal\/answer)(\?|$)/.test(String(headers.location))
}

/** Unavailable with Retry-After, or a page that was only prefetched. */
function isDocumented({ path, headers: asked }: FuzzCall, { status, headers, text }: FuzzAnswer): boolean {
  if (status !== 503) return false
  if (path.startsWith('/portal/open') && asked['sec-purpose'] !== undefined) return true
  const isSaid = /_unavailable"/.test(text) || PAGES.test(path)
  return isSaid && Number(headers['retry-after']) > 0
}

function refusalFaults({ path, headers: asked }: FuzzCall, { status, headers, text }: FuzzAnswer): string[] {
  const type = String(headers['content-type'])
  // Headers that are too large are refused before there is an address.
  if (PAGES.test(path) && status !== 431) {
    const isPage =
      type.startsWith('text/html') && String(headers['content-security-policy']).includes("'none'")
    const isEmpty = asked['sec-purpose'] !== undefined && text === ''
    return isPage && (text.startsWith('<!doctype html>') || isEmpty) ? [] : [`${type} where people look`]
  }
  if (!type.startsWith('application/problem+json')) return [`a refusal as ${type}`]
  const body = readProblem(text)
  if (body === null) return ['a problem that is no JSON']
  const { code } = body
  const isKnown = typeof code === 'string' && isErrorCode(code) && ERRORS[code] === status
  const isWhole =
    body.status === status &&
    String(body.type).endsWith(`/docs/errors#${code}`) &&
    [body.title, body.detail, body.instance].every((member) => typeof member === 'string') &&
    body.request_id === headers['x-request-id']
  return [
    ...(isKnown ? [] : [`unknown code ${String(code)} for ${status}`]),
    ...(isWhole ? [] : ['a problem that lacks a member']),
    ...(status === 401 && headers['www-authenticate'] === undefined ? ['401 without WWW-Authenticate'] : []),
    ...(headers['cache-control'] === 'no-store' ? [] : ['a problem that may be kept']),
  ]
}

function readProblem(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
