// The envelope of all lists: Laravel's paginator without `from`, `to` and `links`. Newest first; how Chargily sorts
// is not documented, but a client that looks for its lost checkout should find it on the first page.
import type { FastifyRequest } from 'fastify'
import { modePath } from './api-json.js'
import { Form } from './laravel.js'
import type { JsonObject } from './php-json.js'
import type { ApiContext } from './routes.js'

const DEFAULT_PER_PAGE = 10
/** Chargily docs, API reference, the list pages: 1 to 50. */
const MAX_PER_PAGE = 50

export function listOf<Kind>(
  { desk, livemode }: ApiContext,
  request: FastifyRequest,
  records: readonly Kind[],
  show: (record: Kind) => JsonObject,
): JsonObject {
  const { page, perPage } = readPaging(request)
  const [route = ''] = request.url.split('?')
  const path = `${desk.publicUrl()}${modePath(livemode)}${route.replace(/^\/test/, '')}`
  const lastPage = Math.max(1, Math.ceil(records.length / perPage))
  const urlOf = (wanted: number) => (wanted < 1 || wanted > lastPage ? null : `${path}?page=${wanted}`)
  return {
    livemode,
    current_page: page,
    data: records.slice((page - 1) * perPage, page * perPage).map(show),
    first_page_url: urlOf(1),
    last_page: lastPage,
    last_page_url: urlOf(lastPage),
    next_page_url: urlOf(page + 1),
    path,
    per_page: perPage,
    prev_page_url: urlOf(page - 1),
    total: records.length,
  }
}

function readPaging({ url }: FastifyRequest): { page: number; perPage: number } {
  const query = new URL(url, 'http://any').searchParams
  const form = new Form({ per_page: query.get('per_page') || null })
  const perPage = form.integer('per_page', 1) ?? DEFAULT_PER_PAGE
  if (perPage > MAX_PER_PAGE) form.complainThat('per_page', `must not be greater than ${MAX_PER_PAGE}.`)
  form.refuseIfWrong()
  // Laravel's paginator takes a page that is no positive integer for the first.
  const page = query.get('page') ?? ''
  return { page: /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1, perPage }
}
