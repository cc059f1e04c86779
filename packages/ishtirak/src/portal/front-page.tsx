// The root of the service, for those who open it in a browser: the ways on. Programs get the refusal of any address
// without a resource.
import { BillingError } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import type { App } from '../http/app.js'
import { renderPage } from './frame.js'
import { Message } from './message-pages.js'
import type { Pages } from './pages.js'
import { sayOf } from './words.js'

export function frontRoute(app: App, pages: Pages): void {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    pages.limitAnonymous(request, reply)
    if (!request.headers.accept?.includes('text/html')) throw new BillingError('not_found')
    const locale = pages.reader.language(request, reply, null)
    return reply.headers({ ...pages.headers, vary: 'Accept, Accept-Language' }).send(frontPage(pages, locale))
  })
}

function frontPage(pages: Pages, locale: Locale): string {
  const say = sayOf(pages, locale)
  const title = say('frontTitle')
  return renderPage(pages, {
    locale,
    title,
    backUrl: pages.backUrl(null),
    safeContent: (
      <Message kind="info" title={title} text={say('frontText')}>
        <p class="actions">
          <a class="button go" href={`${pages.base}/portal`} safe>
            {say('openPortal')}
          </a>
          <a href={`${pages.base}/docs`} safe>
            {say('apiDocuments')}
          </a>
        </p>
      </Message>
    ),
  })
}
