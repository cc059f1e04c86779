// A user's session in the portal without a browser: the cookie, the pages, and the forms on them.
import type { Answer, Caller, World } from './world.js'

export const SELLING_PLANS = new URL('../../docs/selling.example.json', import.meta.url).pathname

export async function enterPortal(world: World, user: string | Caller, locale = 'en') {
  const caller = typeof user === 'string' ? world.as(user) : user
  const link = await caller.post('/api/v1/billing/portal-sessions', {})
  const entered = await world.call('GET', link.body.url.slice(world.url.length))
  const cookie = /^ishtirak[\w.]*=[^;]+/.exec(entered.headers.get('set-cookie') ?? '')?.[0] ?? ''
  const headers = { cookie, 'accept-language': locale }
  const open = (path = '/portal') => world.call('GET', path, { headers })
  const form_token = /name="form_token" value="([^"]+)"/.exec((await open()).text)?.[1] ?? ''
  const post = async (path: string, body: string | Uint8Array, type: string): Promise<Answer> =>
    followToAnswer(
      world,
      await world.call('POST', path, { body, headers: { ...headers, 'content-type': type } }),
      headers,
    )
  return {
    open,
    post,
    headers,
    formToken: form_token,
    submit: (path: string, fields: Record<string, string>) => {
      const body = new URLSearchParams({ form_token, ...fields }).toString()
      return post(path, body, 'application/x-www-form-urlencoded')
    },
    upload: async (path: string, ...files: readonly Buffer[]) => {
      const form = new FormData()
      form.set('form_token', form_token)
      for (const file of files) form.append('file', new File([new Uint8Array(file)], 'slip.jpg'))
      const sent = new Response(form)
      return post(path, new Uint8Array(await sent.arrayBuffer()), sent.headers.get('content-type') ?? '')
    },
  }
}

/** As a browser does: where a form was answered by the page that says what it led to, that page. */
export async function followToAnswer(
  world: World,
  answer: Answer,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const path = answer.headers.get('location')?.slice(world.base.length)
  if (answer.status !== 303 || path !== '/portal/answer') return answer
  const kept = (answer.headers.get('set-cookie') ?? '').match(/ishtirak_[\w.~-]*=[^;]*/g) ?? []
  const cookie = [...(headers.cookie ? [headers.cookie] : []), ...kept].join('; ')
  return world.call('GET', path, { headers: { ...headers, cookie } })
}

/** The visible text of a page, in one line. */
export function wordsOf(html: string): string {
  const body = html.replace(/^.*<main>|<\/main>.*$/gs, '')
  return body
    .replace(/<[^>]+>/g, ' ')
    .replace(/[\u200e\u200f\u2066-\u2069]/g, '')
    .replace(/[\s\u00a0]+/g, ' ')
}

/** Of a page of a service that is called at `/`: where this one is called is up to the run. */
export function bytesOf(html: string, { url, base }: World): number {
  return Buffer.byteLength(html.replaceAll(url, '').replaceAll(`"${base}/`, '"/'))
}
