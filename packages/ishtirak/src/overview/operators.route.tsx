// The page of operators: those of OPERATOR_KEYS, those that an owner made, and all sessions.

import type { AccessPages } from '../access/issuer.js'
import {
  blockOperator,
  createOperatorAct,
  newOperatorKey,
  setOperatorRole,
  unblockOperator,
} from '../access/operator-acts.js'
import { type ListedOperator, listOperators } from '../access/operators.js'
import { revokeOperatorSession } from '../access/session-acts.js'
import { listSessions } from '../access/sessions.js'
import { ActButton, ActLink } from '../acts/act-links.js'
import { NO_USER } from '../acts/subject.js'
import type { App } from '../http/app.js'
import { actsOnUser } from '../ledger/user-acts.sql.js'
import { addressOf, consolePage, roleName, type View } from '../pages/console-frame.js'
import { Hint, Table, Text } from '../pages/console-parts.js'
import { consoleRoute } from '../pages/console-view.js'
import { Card } from '../pages/parts.js'
import { NoticeOf, noticeIn } from './trail.js'

/** The newest: a program that signs in every minute has hundreds of sessions. */
const SESSIONS_SHOWN = 40
/** The notice is about one of them. */
const ACTS_READ = 50

export function operatorsRoutes(app: App, pages: AccessPages): void {
  consoleRoute(app, pages, '/console/operators', async ({ view, request }) => {
    const { say, session: own } = view
    const [sessions, operators, acts] = await Promise.all([
      listSessions(pages),
      listOperators(pages),
      actsOnUser(pages.database, NO_USER, ACTS_READ),
    ])
    const hidden = sessions.length - SESSIONS_SHOWN
    return consolePage(
      { pages, view, title: say('operators'), section: 'operators' },
      <>
        <NoticeOf {...{ view, acts }} notice={noticeIn(request)} />
        <Operators {...{ pages, view, operators }} />
        <Card id="sessions" title={say('sessions')}>
          <Table
            {...{ pages, view }}
            rows={sessions.slice(0, SESSIONS_SHOWN)}
            columns={[
              { head: 'who', text: ({ operator }) => operator.name },
              { head: 'role', text: ({ operator }) => roleName(operator.role, say) },
              { head: 'signedInBy', text: ({ signedInBy }) => say(`signedInBy_${signedInBy}`) },
              { head: 'since', text: ({ createdAt }) => view.moment(createdAt) },
              { head: 'ends', text: ({ expiresAt }) => view.moment(expiresAt) },
              {
                head: 'nextAct',
                safe: ({ id }) =>
                  id === own.id ? (
                    <Text>{say('ownSession')}</Text>
                  ) : (
                    <ActLink {...{ pages, view, id }} act={revokeOperatorSession} />
                  ),
              },
            ]}
          />
          {hidden > 0 ? <Hint>{say('sessionsHidden', { count: view.number(hidden) })}</Hint> : null}
        </Card>
        <p>
          <a href={addressOf(pages.base, 'trail')} safe>
            {say('toTrailPage')}
          </a>
        </p>
      </>,
    )
  })
}

const actsOn = ({ createdAt, blockedAt }: Pick<ListedOperator, 'createdAt' | 'blockedAt'>) =>
  createdAt === null
    ? []
    : [blockedAt === null ? blockOperator : unblockOperator, newOperatorKey, setOperatorRole]

function Operators(of: { pages: AccessPages; view: View; operators: readonly ListedOperator[] }) {
  const { pages, view, operators } = of
  const { say } = view
  return (
    <Card id="operators" title={say('operatorList')}>
      <Table
        {...{ pages, view }}
        rows={operators}
        columns={[
          { head: 'who', text: ({ name }) => name },
          { head: 'role', text: ({ role }) => roleName(role, say) },
          {
            head: 'operatorFrom',
            text: ({ createdAt }) => say(`operatorFrom_${createdAt === null ? 'environment' : 'console'}`),
          },
          { head: 'keyedAt', text: ({ keyedAt }) => view.moment(keyedAt) },
          {
            head: 'operatorState',
            text: ({ blockedAt }) => say(blockedAt === null ? 'operatorActive' : 'operatorBlocked'),
          },
          {
            head: 'nextAct',
            safe: ({ name, ...operator }) => (
              <div>
                {actsOn(operator).map((act) => (
                  <ActLink {...{ pages, view, act }} id={name} />
                ))}
              </div>
            ),
          },
        ]}
      />
      {pages.issuer === null ? null : <Hint>{say('operatorListText')}</Hint>}
      <p class="actions">
        <ActButton {...{ pages, view }} act={createOperatorAct} />
      </p>
    </Card>
  )
}
