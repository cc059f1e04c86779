// A finding of a comparison with the provider: what only one side has, or has otherwise, and what is known of it here.

import { actRoutes } from '../acts/act.route.js'
import { BillingError } from '../core/error.js'
import { plainName } from '../core/name.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { addressOf, Facts, renderConsole, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { codeInWords } from '../pages/console-words.js'
import { LinkButton } from '../pages/portal-frame.js'
import { closeFinding } from './findings.js'
import { findFinding, findingNamed } from './findings.sql.js'
import type { ComparePages } from './pages.js'

type Found = NonNullable<Awaited<ReturnType<typeof findFinding>>>
type Shown = Found & { readonly id: string }

export function findingRoute(app: App, pages: ComparePages): void {
  const hidden = forOperators(pages)
  app.get<{ Params: { id: string } }>('/console/findings/:id', hidden, async (request, reply) => {
    const { id } = request.params
    const found = await loadFinding(pages, id)
    return sendPage(pages, reply, findingPage(pages, viewOf(pages, request, reply), { ...found, id }))
  })
  actRoutes(app, pages, '/console/findings/:id/close', {
    act: 'finding.close',
    isReasonRequired: true,
    ask: async (view, { id = '' }) => askToClose(pages, view, { ...(await loadFinding(pages, id)), id }),
    about: async ({ id = '' }) => {
      const { finding } = await loadFinding(pages, id)
      return { userId: finding.user_id ?? '', path: addressOf(pages.base, 'findings', id) }
    },
    run: ({ id = '' }, by) => closeFinding(pages, findingNamed(id), { ...by, reason: by.reason ?? '' }),
  })
}

/** By its id in the inbox. Throws `not_found`. */
async function loadFinding({ database }: ComparePages, id: string) {
  const found = await findFinding(database, findingNamed(id))
  if (!found) throw new BillingError('not_found')
  return found
}

function askToClose(pages: ComparePages, view: View, found: Shown) {
  const { say } = view
  const backPath = addressOf(pages.base, 'findings', found.id)
  return {
    title: say('act_close_finding'),
    text: say('text_close_finding'),
    path: `${backPath}/close`,
    backPath,
    version: found.finding.version,
    changes: [{ name: say('kind_finding'), before: say('findingOpen'), after: say('findingClosed') }],
    reasonLabel: say('reasonClosed'),
    safeMore: <Facts facts={factsOf(pages, view, found)} />,
  }
}

const FINDINGS = ['paid_not_booked', 'booked_not_paid', 'differs', 'unknown_paid'] as const

export function findingInWords({ say }: Pick<View, 'say'>, kind: string): string {
  const found = FINDINGS.find((one) => one === kind)
  return found ? say(`finding_${found}`) : kind
}

function findingPage(pages: ComparePages, view: View, found: Shown): string {
  const { say, session } = view
  const mayClose = found.finding.closed_at === null && mayDo(session.operator, 'finding.close')
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
            <LinkButton
              href={`${addressOf(pages.base, 'findings', found.id)}/close`}
              label={say('act_close_finding')}
            />
          ) : null}
          <LinkButton href={addressOf(pages.base, 'health#comparison')} label={say('comparison')} />
        </p>
      </section>
    ),
  })
}

/** A payment that only the provider knows is a text. */
function factsOf({ base, formats }: ComparePages, view: View, { finding, isOurPayment }: Found) {
  const { say, locale } = view
  const { kind, outcome, checkout_id, payment_id, user_id, details, found_at, seen_at } = finding
  const { closed_at, closed_by, closed_because } = finding
  const moment = (timestamp: string) => formats.moment(Date.parse(timestamp), locale)
  const linked = (page: string, id: string) => ({ href: addressOf(base, page, id), text: plainName(id) })
  const { amount } = Object(details)
  return [
    [say('what'), findingInWords(view, kind)],
    [say('outcome'), closed_at === null ? codeInWords(view, 'outcome', outcome) : null],
    [say('checkout'), checkout_id],
    [
      say(isOurPayment ? 'payment' : 'paymentNamed'),
      payment_id !== null && isOurPayment ? linked('payments', payment_id) : payment_id,
    ],
    [say('user'), user_id && linked('users', user_id)],
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
