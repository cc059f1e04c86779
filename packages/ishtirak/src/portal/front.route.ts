// The root of the service: for a browser a page that leads on, for a program the refusal of any address without a resource.
import { BillingError } from '../core/error.js'
import type { App } from '../http/app.js'
import { frontPage } from './message-pages.js'
import type { Pages } from './pages.js'

export function frontRoute(app: App, pages: Pages): void {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    if (!request.headers.accept?.includes('text/html')) throw new BillingError('not_found')
    const locale = pages.reader.language(request, reply, null)
    return reply.headers({ ...pages.headers, vary: 'Accept, Accept-Language' }).send(frontPage(pages, locale))
  })
}
