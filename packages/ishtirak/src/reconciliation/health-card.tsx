// The card of the last reconciliation on the health page.
import { ActButton, ActLink } from '../acts/act-links.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import type { ConsolePages, View } from '../pages/console-frame.js'
import { Facts, Hint, Table, Text, Under } from '../pages/console-parts.js'
import { codeInWords } from '../pages/console-words.js'
import { Card } from '../pages/parts.js'
import { readReconciliations } from './discrepancies.sql.js'
import { closeDiscrepancy, startReconciling } from './reconciliation-acts.js'

type Compared = Awaited<ReturnType<typeof readReconciliations>>

const SHOWN = { reconciliations: 1, discrepancies: 30 }

export async function reconciliationCard(pages: ConsolePages, view: View): Promise<JSX.Element> {
  const compared = await readReconciliations(pages.database, null, SHOWN)
  const labels = await readLabels(pages, {
    payments: compared.discrepancies.map(({ payment_id }) => payment_id),
    users: compared.discrepancies.map(({ user_id }) => user_id),
  })
  const { say, moment, number } = view
  const [last] = compared.reconciliations
  return (
    <Card id="reconciliation" title={say('reconciliation')}>
      {last === undefined ? (
        <Hint>{say('neverReconciled')}</Hint>
      ) : (
        <>
          <Facts
            facts={[
              [say('reconciledSince'), moment(last.since)],
              [say('startedBy'), last.started_by === 'schedule' ? say('bySchedule') : last.started_by],
              [say('startedAt'), moment(last.started_at)],
              [say('finishedAt'), moment(last.finished_at) ?? say('underWay')],
              [say('checkoutsReconciled'), number(last.checkouts)],
              [say('differences'), number(last.discrepancies)],
            ]}
          />
          <Discrepancies {...{ pages, view, compared, labels }} />
        </>
      )}
      <p class="actions">
        <ActButton {...{ pages, view }} act={startReconciling} />
      </p>
    </Card>
  )
}

function Discrepancies(of: { pages: ConsolePages; view: View; compared: Compared; labels: Labels }) {
  const { pages, view, compared, labels } = of
  const { say } = view
  if (compared.discrepancies.length === 0) return null
  return (
    <>
      <h3 safe>{say('discrepancies')}</h3>
      <Table
        {...{ pages, view }}
        rows={compared.discrepancies}
        idOf={({ id }) => id}
        columns={[
          {
            head: 'what',
            safe: ({ kind }) => (
              <>
                <Text>{say(`discrepancy_${kind}`)}</Text>
                <Under>{say(`text_${kind}`)}</Under>
              </>
            ),
          },
          { head: 'outcome', text: (found) => outcomeOf(view, found) },
          {
            head: 'payment',
            safe: ({ kind, payment_id: id, checkout_id }) =>
              id === null || kind === 'unknown_paid' ? (
                <Text>{id ?? checkout_id}</Text>
              ) : (
                <PaymentLink {...{ pages, view, id }} payment={labels.payment(id)} />
              ),
          },
          { head: 'user', user: ({ user_id }) => labels.user(user_id) },
          { head: 'when', nowrap: ({ seen_at }) => view.moment(seen_at) },
          {
            head: 'nextAct',
            safe: ({ id, closed_at }) =>
              closed_at === null ? <ActLink {...{ pages, view, id }} act={closeDiscrepancy} /> : null,
          },
        ]}
      />
    </>
  )
}

function outcomeOf(view: View, found: Compared['discrepancies'][number]): string {
  const { outcome, closed_at, closed_by, closed_because } = found
  if (closed_at === null) return codeInWords(view, 'outcome', outcome)
  const when = view.moment(closed_at) ?? ''
  return view.say('closedText', { when, name: closed_by ?? '', why: closed_because ?? '' })
}
