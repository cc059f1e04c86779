// A finding of a comparison: what only one side has, or has otherwise, and what is known of it here.

import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { addressOf, Facts, renderConsole, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { LinkButton } from '../pages/portal-frame.js'
import { type ComparePages, closeFinding, loadFinding } from './close-finding.js'
import { type FoundFinding, factsOf } from './finding-facts.js'
import { findingNamed } from './findings.sql.js'

export function findingRoute(app: App, pages: ComparePages): void {
  const hidden = forOperators(pages)
  app.get<{ Params: { id: string } }>('/console/findings/:id', hidden, async (request, reply) => {
    const { id } = request.params
    const found = await loadFinding(pages, findingNamed(id))
    return sendPage(pages, reply, findingPage(pages, viewOf(pages, request, reply), { ...found, id }))
  })
}

function findingPage(pages: ComparePages, view: View, found: FoundFinding & { readonly id: string }): string {
  const { say, session } = view
  const mayClose = found.finding.closed_at === null && mayDo(session.operator, closeFinding)
  return renderConsole(pages, {
    ...view,
    title: say('kind_finding'),
    safeContent: (
      <section class="card">
        <h1 safe>{say('kind_finding')}</h1>
        <p safe>{say(`text_${found.finding.kind}`)}</p>
        <Facts facts={factsOf(pages, view, found)} />
        <p class="actions">
          {mayClose ? (
            <LinkButton href={pathOfAct(pages, closeFinding, found.id)} label={titleOf(closeFinding, view)} />
          ) : null}
          <LinkButton href={addressOf(pages.base, 'health#comparison')} label={say('comparison')} />
        </p>
      </section>
    ),
  })
}
