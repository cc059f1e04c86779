// The last comparison with the provider, on the page of health.
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import { type Labels, PaymentLink, readLabels } from '../ledger/labels.js'
import { Facts, NoWrap, Table, Text, type View } from '../pages/console-frame.js'
import { codeInWords } from '../pages/console-words.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { UserCell } from '../pages/user-cell.js'
import type { ComparePages } from './close-finding.js'
import { startComparing } from './compare-acts.js'
import { listComparisons } from './reconcile.sql.js'

type Compared = Awaited<ReturnType<typeof listComparisons>>

const SHOWN = { comparisons: 1, findings: 30 }

/** On the page of health: the last comparison, what it found, and where one is begun. */
export async function comparisonCard(pages: ComparePages, view: View): Promise<JSX.Element> {
  const compared = await listComparisons(pages.database, null, SHOWN)
  const labels = await readLabels(pages, {
    payments: compared.findings.map(({ payment_id }) => payment_id),
    users: compared.findings.map(({ user_id }) => user_id),
  })
  const { say, locale } = view
  const { moment, number } = pages.formats
  const [last] = compared.comparisons
  const shown = (timestamp: string) => moment(Date.parse(timestamp), locale)
  return (
    <Card id="comparison" title={say('comparison')}>
      {last === undefined ? (
        <p class="soft" safe>
          {say('neverCompared')}
        </p>
      ) : (
        <>
          <Facts
            facts={[
              [say('comparedSince'), shown(last.since)],
              [say('startedBy'), last.started_by === 'schedule' ? say('bySchedule') : last.started_by],
              [say('startedAt'), shown(last.started_at)],
              [say('finishedAt'), last.finished_at === null ? say('underWay') : shown(last.finished_at)],
              [say('checkoutsCompared'), number(last.checkouts, locale)],
              [say('differences'), number(last.findings, locale)],
            ]}
          />
          <Findings {...{ pages, view, compared, labels }} />
        </>
      )}
      {mayDo(view.session.operator, startComparing) ? (
        <p class="actions">
          <LinkButton href={pathOfAct(pages, startComparing, '')} label={titleOf(startComparing, view)} />
        </p>
      ) : null}
    </Card>
  )
}

/** Of the last comparisons, newest first. */
function Findings(of: { pages: ComparePages; view: View; compared: Compared; labels: Labels }) {
  const { pages, view, compared, labels } = of
  const { say, locale } = view
  if (compared.findings.length === 0) return null
  const rows = compared.findings.map(({ kind, outcome, user_id, payment_id, checkout_id, seen_at }) => ({
    safeCells: [
      <Text>{say(`finding_${kind}`)}</Text>,
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
      <h3 safe>{say('findings')}</h3>
      <Table columns={columns} safeRows={rows} />
    </>
  )
}
