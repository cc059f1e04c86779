// The act of the page of health: a comparison with the provider.

import { actRoutes } from '../acts/act.route.js'
import { readInstant } from '../acts/day.js'
import { NO_USER } from '../acts/subject.js'
import { startReconciliation } from '../compare/reconcile.js'
import { DAY } from '../core/instant.js'
import type { App } from '../http/app.js'
import { addressOf, type View } from '../pages/console-frame.js'
import type { AllPages } from './all-pages.js'

export function healthActRoutes(app: App, pages: AllPages): void {
  compareRoutes(app, pages)
}

/** What all of them have. There are no facts of a user whose version is compared. */
function askedOnHealth({ base }: AllPages, { say }: View, name: 'compare') {
  const backPath = addressOf(base, 'health')
  return { title: say(`act_${name}`), text: say(`text_${name}`), backPath, version: 0 }
}

/** What is done to the service: the page of health has the trail of it. */
const aboutHealth = async ({ base }: AllPages) => ({ userId: NO_USER, path: addressOf(base, 'health') })

const COMPARE = '/console/health/compare'
const COMPARED_DAYS = 30

function compareRoutes(app: App, pages: AllPages): void {
  const { formats, clock, wallClock } = pages
  actRoutes(app, pages, COMPARE, {
    act: 'reconcile',
    isReasonRequired: false,
    ask: async (view) => {
      const { say } = view
      const since = formats.isoDay(clock.now() - COMPARED_DAYS * DAY)
      return {
        ...askedOnHealth(pages, view, 'compare'),
        path: `${pages.base}${COMPARE}`,
        changes: [{ name: say('comparison'), before: say('asItIs'), after: say('underWay') }],
        fields: [{ name: 'since', label: say('comparedSince'), value: since, type: 'date' }],
      }
    },
    about: () => aboutHealth(pages),
    run: (_params, by, { since = '' }) => {
      const sinceAt = readInstant(wallClock, 'since', since)
      return startReconciliation(pages, { sinceAt, booksUnknown: false }, by)
    },
  })
}
