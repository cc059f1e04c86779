// The journal: all that operators did and were refused, by person, act, target, day and words.
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { addressOf, renderConsole, sendPage } from '../pages/console-frame.js'
import { forOperators, fromThisSite, viewOf } from '../pages/console-view.js'
import { LinkButton } from '../pages/portal-frame.js'
import type { AllPages } from './all-pages.js'
import { TRAIL_EXPORT } from './list-files.js'
import { TrailCard, trailAddress, trailFileIn, trailIn } from './trail-card.js'

export function trailRoute(app: App, pages: AllPages): void {
  app.get('/console/trail', forOperators(pages), async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const shown = await trailIn(pages, request)
    const path = addressOf(pages.base, 'trail')
    const html = renderConsole(pages, {
      ...view,
      title: view.say('trailPage'),
      section: 'trailPage',
      languagePath: trailAddress(path, shown.filter),
      safeContent: (
        <>
          <h1 safe>{view.say('trailPage')}</h1>
          <TrailCard {...{ pages, view, path, shown }} />
          {mayDo(view.session.operator, TRAIL_EXPORT) ? (
            <p class="actions">
              <LinkButton href={trailAddress(`${path}.csv`, shown.filter)} label={view.say('asFile')} />
            </p>
          ) : null}
        </>
      ),
    })
    return sendPage(pages, reply, html)
  })

  const thisSite = fromThisSite(pages, () => '/console/trail')
  app.get('/console/trail.csv', thisSite, (request, reply) => trailFileIn(pages, request, reply))
}
