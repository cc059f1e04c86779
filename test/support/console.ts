// An operator's session in the console without a browser: the cookie, the pages, and the forms on them.

import type { Database } from '../../packages/ishtirak/src/database/database.js'
import { wordsOf } from './portal.js'
import { sql } from './sql.js'
import type { Answer, World } from './world.js'

export type ConsoleVisit = Awaited<ReturnType<typeof enterConsole>>

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function signIn(world: World, key: string, fields: Record<string, string> = {}): Promise<Answer> {
  const body = new URLSearchParams({ key, ...fields }).toString()
  return world.call('POST', '/console/sign-in', { body, headers: { ...FORM, 'accept-language': 'en' } })
}

export async function enterConsole(world: World, key: string, locale = 'en') {
  const { headers: answered } = await signIn(world, key)
  const cookie = /^ishtirak_console[\w.]*=[^;]+/.exec(answered.get('set-cookie') ?? '')?.[0] ?? ''
  const headers = { cookie, 'accept-language': locale }
  const open = (path = '/console') => world.call('GET', path, { headers })
  const form_token = /name="form_token" value="([^"]+)"/.exec((await open()).text)?.[1] ?? ''
  /** With the form token of the session, unless `fields` has another. */
  const submit = (path: string, fields: Record<string, string> = {}) =>
    world.call('POST', path, {
      body: new URLSearchParams({ form_token, ...fields }).toString(),
      headers: { ...headers, ...FORM },
    })
  return {
    cookie,
    ...{ open, submit },
    ask: async (path: string, query = '') => {
      const { status, text } = await open(path + query)
      const asked = { path, status, words: wordsOf(text), fields: fieldsOfAct(text) }
      if (query === '' || asked.fields.version !== undefined) return asked
      // What stands in no address is typed, and then shown.
      const typed = { ...asked.fields, ...Object.fromEntries(new URLSearchParams(query)), why: 'x' }
      const shown = await submit(path, typed)
      return { path, status: shown.status, words: wordsOf(shown.text), fields: fieldsOfAct(shown.text) }
    },
    follow: async (answer: Pick<Answer, 'headers'>) => {
      const location = answer.headers.get('location') ?? ''
      return wordsOf((await open(location.slice(world.base.length))).text)
    },
  }
}

const insertActs =
  sql(`insert into audit (user_id, id, acted_at, actor, act, reason, payment_id, before, after)
   select $1, 'act_' || lpad(n::text, 5, '0'), '2026-11-21T12:00:00Z', 'owner', $2, repeat('و', 500), $3,
     '{}', '{}'
     from generate_series(1, $4::int) n`)

export async function actOften(
  database: Database,
  of: { readonly userId: string; readonly paymentId?: string; readonly act: string; readonly times: number },
): Promise<void> {
  await database.query(insertActs, [of.userId, of.act, of.paymentId ?? null, of.times])
}

export function fieldsOfAct(html: string): Record<string, string> {
  const forms = html.match(/<form method="post" action="[^"]*\/[a-z-]+">.*?<\/form>/gs) ?? []
  const act = forms.find((text) => text.includes('operation_id')) ?? ''
  const inputs = [...act.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
  const chosen = [...act.matchAll(/<select [^>]*?name="(\w+)".*?<\/select>/gs)].map(([select, name]) => {
    return [name, /<option value="([^"]*)" selected/.exec(select)?.[1]]
  })
  const fields = [...inputs, ...chosen].map(([name, value = '']) => [name, value.replaceAll('&amp;', '&')])
  return Object.fromEntries(fields)
}

/** Pages that links lead to, by address, from those of `from` on: of each kind as many as `perKind`. */
export async function crawlConsole(
  world: World,
  { open }: ConsoleVisit,
  { from, perKind }: { readonly from: readonly string[]; readonly perKind: number },
): Promise<ReadonlyMap<string, Answer>> {
  const found = new Map<string, Answer>()
  const ofKind = new Map<string, number>()
  const waiting = [...from]
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    // What has a digit is an id or a day.
    const kind = path.replace(/\?.*/, '').replace(/[^/]*\d[^/]*/g, '*')
    const count = ofKind.get(kind) ?? 0
    if (found.has(path) || count >= perKind) continue
    ofKind.set(kind, count + 1)
    const page = await open(path)
    found.set(path, page)
    waiting.push(...linksIn(page.text, world.base))
  }
  return found
}

function linksIn(html: string, base: string): readonly string[] {
  const hrefs = [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href)
  const inside = hrefs.filter((href) => href.startsWith(`${base}/console`))
  return inside.map((href) => href.slice(base.length).replace(/#.*/, '').replaceAll('&amp;', '&'))
}
