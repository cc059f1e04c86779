// A discrepancy of a reconciliation: what only one side has, or has otherwise, and what is known of it here.

import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import {
  addressOf,
  type ConsolePages,
  Facts,
  renderConsole,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { LinkButton } from '../pages/portal-frame.js'
import { closeDiscrepancy, loadDiscrepancy } from './close-discrepancy.js'
import { type FoundDiscrepancy, factsOf } from './discrepancy-facts.js'

export function discrepancyRoute(app: App, pages: ConsolePages): void {
  const hidden = forOperators(pages)
  app.get<{ Params: { id: string } }>('/console/discrepancies/:id', hidden, async (request, reply) => {
    const { id } = request.params
    const found = await loadDiscrepancy(pages, id)
    return sendPage(pages, reply, discrepancyPage(pages, viewOf(pages, request, reply), { ...found, id }))
  })
}

function discrepancyPage(
  pages: ConsolePages,
  view: View,
  found: FoundDiscrepancy & { readonly id: string },
): string {
  const { say, session } = view
  const mayClose = found.discrepancy.closed_at === null && mayDo(session.operator, closeDiscrepancy)
  return renderConsole(pages, {
    ...view,
    title: say('kind_discrepancy'),
    safeContent: (
      <section class="card">
        <h1 safe>{say('kind_discrepancy')}</h1>
        <p safe>{say(`text_${found.discrepancy.kind}`)}</p>
        <Facts facts={factsOf(pages, view, found)} />
        <p class="actions">
          {mayClose ? (
            <LinkButton
              href={pathOfAct(pages, closeDiscrepancy, found.id)}
              label={titleOf(closeDiscrepancy, view)}
            />
          ) : null}
          <LinkButton href={addressOf(pages.base, 'health#reconciliation')} label={say('reconciliation')} />
        </p>
      </section>
    ),
  })
}
