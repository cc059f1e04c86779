// The last reconciliation with the provider, on the page of health.
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { type ConsolePages, Facts, NoWrap, Table, Text, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import { readReconciliations } from './discrepancies.sql.js'
import { startReconciling } from './reconciliation-acts.js'

type Compared = Awaited<ReturnType<typeof readReconciliations>>

const SHOWN = { reconciliations: 1, discrepancies: 30 }

/** On the page of health: the last reconciliation, what it found, and where one is begun. */
export async function reconciliationCard(pages: ConsolePages, view: View): Promise<JSX.Element> {
  const compared = await readReconciliations(pages.database, null, SHOWN)
  const labels = await readLabels(pages, {
    payments: compared.discrepancies.map(({ payment_id }) => payment_id),
    users: compared.discrepancies.map(({ user_id }) => user_id),
  })
  const { say, locale } = view
  const { moment, number } = pages.formats
  const [last] = compared.reconciliations
  const shown = (timestamp: string) => moment(Date.parse(timestamp), locale)
  return (
    <Card id="reconciliation" title={say('reconciliation')}>
      {last === undefined ? (
        <p class="soft" safe>
          {say('neverReconciled')}
        </p>
      ) : (
        <>
          <Facts
            facts={[
              [say('reconciledSince'), shown(last.since)],
              [say('startedBy'), last.started_by === 'schedule' ? say('bySchedule') : last.started_by],
              [say('startedAt'), shown(last.started_at)],
              [say('finishedAt'), last.finished_at === null ? say('underWay') : shown(last.finished_at)],
              [say('checkoutsReconciled'), number(last.checkouts, locale)],
              [say('differences'), number(last.discrepancies, locale)],
            ]}
          />
          <Discrepancies {...{ pages, view, compared, labels }} />
        </>
      )}
      {mayDo(view.session.operator, startReconciling) ? (
        <p class="actions">
          <LinkButton href={pathOfAct(pages, startReconciling, '')} label={titleOf(startReconciling, view)} />
        </p>
      ) : null}
    </Card>
  )
}

/** Of the last reconciliations, newest first. */
function Discrepancies(of: { pages: ConsolePages; view: View; compared: Compared; labels: Labels }) {
  const { pages, view, compared, labels } = of
  const { say, locale } = view
  if (compared.discrepancies.length === 0) return null
  const rows = compared.discrepancies.map(({ kind, outcome, user_id, payment_id, checkout_id, seen_at }) => ({
    safeCells: [
      <Text>{say(`discrepancy_${kind}`)}</Text>,
      <Text>{codeInWords(view, 'outcome', outcome)}</Text>,
      payment_id === null || kind === 'unknown_paid' ? (
        <Text>{payment_id ?? checkout_id}</Text>
      ) : (
        <PaymentLink {...{ pages, view, id: payment_id }} payment={labels.payment(payment_id)} />
      ),
      <UserCell {...{ pages, user: labels.user(user_id) }} />,
      <NoWrap>{pages.formats.moment(Date.parse(seen_at), locale)}</NoWrap>,
    ],
  }))
  const columns = [say('what'), say('outcome'), say('payment'), say('user'), say('when')]
  return (
    <>
      <h3 safe>{say('discrepancies')}</h3>
      <Table columns={columns} safeRows={rows} />
    </>
  )
}
