// Forms and links are read from the running app, so a new page needs no change here.
import { ROLES } from '../../packages/ishtirak/src/core/role.js'
import type { KnownRoute } from '../../packages/ishtirak/src/http/problem.js'
import { type ConsoleVisit, crawlConsole, enterConsole } from '../support/console.js'
import { OPERATOR_KEY } from '../support/operator.js'
import { ROLE_KEYS } from '../support/roles.js'
import type { World } from '../support/world.js'

export type Sending = { path: string; fields: Readonly<Record<string, string>> }

/** Keyed by route, such as `POST /console/sign-out`. */
export type Sendings = ReadonlyMap<string, readonly Sending[]>

export type PageSession = { cookie: string; formToken: string }

type OperatorSession = PageSession & ConsoleVisit

const PAGES_OF_A_KIND = 6

export const keyOf = ({ method, url }: KnownRoute): string => `${method} ${url}`

export async function operatorSessions(
  world: World,
): Promise<readonly [OperatorSession, ...OperatorSession[]]> {
  const keys = ROLES.map((role) => ROLE_KEYS[role])
  return [
    await operatorSession(world, OPERATOR_KEY),
    ...(await Promise.all(keys.map((key) => operatorSession(world, key)))),
  ]
}

async function operatorSession(world: World, key: string): Promise<OperatorSession> {
  const visit = await enterConsole(world, key)
  return { ...visit, formToken: formTokenIn((await visit.open()).text) }
}

function formTokenIn(html: string): string {
  return /name="form_token" value="([^"]+)"/.exec(html)?.[1] ?? ''
}

export async function readSendings(
  world: World,
  routes: readonly KnownRoute[],
  { values, visit }: { values: Readonly<Record<string, readonly (string | number)[]>>; visit: ConsoleVisit },
): Promise<Sendings> {
  const from = routes.flatMap(({ method, url }) =>
    method === 'GET' && url.startsWith('/console') ? addressesOf(url, values) : [],
  )
  const pages = await crawlConsole(world, visit, { from: ['/console', ...from], perKind: PAGES_OF_A_KIND })
  const patterns = routes.map((route) => ({ key: keyOf(route), pattern: patternOf(route) }))
  const found = new Map<string, Sending[]>()
  // Who is signed in is not shown it.
  const signIn = await world.call('GET', '/console/sign-in')
  for (const { text } of [...pages.values(), signIn]) {
    for (const [method, address, fields] of sendingsIn(text)) {
      const { pathname, searchParams } = new URL(address.slice(world.base.length), 'http://here')
      const sending = { path: pathname, fields: { ...Object.fromEntries(searchParams), ...fields } }
      for (const { key, pattern } of patterns)
        if (pattern.test(`${method} ${pathname}`)) found.set(key, [...(found.get(key) ?? []), sending])
    }
  }
  return found
}

function addressesOf(url: string, values: Readonly<Record<string, readonly (string | number)[]>>): string[] {
  const name = /:(\w+)/.exec(url)?.[1]
  if (name === undefined) return [url]
  const filled = (values[name] ?? []).map((value) =>
    url.replace(`:${name}`, encodeURIComponent(String(value))),
  )
  return filled.flatMap((address) => addressesOf(address, values))
}

function patternOf({ method, url }: KnownRoute): RegExp {
  return new RegExp(`^${method} ${url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`)
}

function sendingsIn(html: string): [method: string, address: string, fields: Record<string, string>][] {
  const links = [...html.matchAll(/<a [^>]*>/g)].map(([tag]) => attributesOf(tag))
  const forms = [...html.matchAll(/(<form [^>]*>)(.*?)<\/form>/gs)].map(([, tag = '', inside = '']) => {
    const { method = 'get', action = '' } = attributesOf(tag)
    const controls = [...inside.matchAll(/<(?:input|button|select|textarea|option) [^>]*>/g)]
    const named = controls.map(([control]) => attributesOf(control)).filter(({ name }) => name)
    const fields = Object.fromEntries(named.map(({ name, value = '' }) => [name, value]))
    return [method.toUpperCase(), action, fields] as [string, string, Record<string, string>]
  })
  const followed = links.map(({ href = '' }) => ['GET', href, {}] as [string, string, Record<string, string>])
  return [...forms, ...followed].filter(([, address]) => address.startsWith('/'))
}

function attributesOf(tag: string): Readonly<Record<string, string>> {
  const pairs = [...tag.matchAll(/ ([\w-]+)="([^"]*)"/g)]
  return Object.fromEntries(pairs.map(([, name, value = '']) => [name, unescaped(value)]))
}

function unescaped(text: string): string {
  return text.replace(/&#34;/g, '"').replace(/&#39;/g, "'").replace(/&lt;/g, '<').replace(/&amp;/g, '&')
}
