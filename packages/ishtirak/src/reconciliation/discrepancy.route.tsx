// A discrepancy in the console: a payment that only one side has or that differs, and what is known of it
// here.

import { ActButton } from '../acts/act-console.js'
import { plainName } from '../core/name.js'
import type { App } from '../http/app.js'
import { paymentInWords } from '../ledger/labels.js'
import {
  addressOf,
  type ConsolePages,
  Facts,
  renderConsole,
  sendPage,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { closeDiscrepancy, type FoundDiscrepancy, loadDiscrepancy } from './close-discrepancy.js'

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
  const { say } = view
  const isOpen = found.discrepancy.closed_at === null
  return renderConsole(pages, {
    ...view,
    title: say('kind_discrepancy'),
    safeContent: (
      <section class="card">
        <h1 safe>{say('kind_discrepancy')}</h1>
        <p safe>{say(`text_${found.discrepancy.kind}`)}</p>
        <Facts facts={factsOf(pages, view, found)} />
        <p class="actions">
          {isOpen ? <ActButton {...{ pages, view }} act={closeDiscrepancy} id={found.id} /> : null}
          <LinkButton href={addressOf(pages.base, 'health#reconciliation')} label={say('reconciliation')} />
        </p>
      </section>
    ),
  })
}

/** A payment that only the provider knows has no link. */
function factsOf(
  { base, formats }: ConsolePages,
  view: View,
  { discrepancy, isOurPayment, labels }: FoundDiscrepancy,
) {
  const { say, locale } = view
  const { kind, outcome, checkout_id, payment_id, user_id, details, found_at, seen_at } = discrepancy
  const { closed_at, closed_by, closed_because } = discrepancy
  const moment = (timestamp: string) => formats.moment(Date.parse(timestamp), locale)
  const linked = (page: string, id: string, text: string) => ({ href: addressOf(base, page, id), text })
  const ours = payment_id === null ? null : labels.payment(payment_id)
  const user = labels.user(user_id)
  const { amount } = Object(details)
  return [
    [say('what'), codeInWords(view, 'discrepancy', kind)],
    [say('outcome'), closed_at === null ? codeInWords(view, 'outcome', outcome) : null],
    [say('checkout'), checkout_id],
    [
      say(isOurPayment ? 'payment' : 'paymentNamed'),
      ours === null ? payment_id : linked('payments', ours.id, paymentInWords(formats, ours, locale)),
    ],
    [say('user'), user_id && linked('users', user_id, plainName(user.name ?? user.email ?? user_id))],
    [say('amount'), typeof amount === 'number' ? formats.money(amount, locale) : null],
    [say('foundAt'), moment(found_at)],
    [say('seenAt'), moment(seen_at)],
    [
      say('closedAt'),
      closed_at &&
        say('closedText', { when: moment(closed_at), name: closed_by ?? '', why: closed_because ?? '' }),
    ],
  ] as const
}
