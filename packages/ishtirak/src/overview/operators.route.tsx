// The operators, with what an owner does with those whom one made; and who of them is signed in.

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
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import {
  addressOf,
  renderConsole,
  roleName,
  sendPage,
  Table,
  Text,
  type View,
} from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { Card, LinkButton } from '../pages/portal-frame.js'
import { NoticeOf, noticeIn, type TrailNotice } from './trail.js'

/** Newest first: a key that a program signs in with every minute has hundreds of sessions. */
const SESSIONS_SHOWN = 40

export function operatorsRoutes(app: App, pages: AccessPages): void {
  const hidden = forOperators(pages)

  app.get('/console/operators', hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    return sendPage(pages, reply, await operatorsPage(pages, view, noticeIn(request)))
  })
}

async function operatorsPage(pages: AccessPages, view: View, notice: TrailNotice): Promise<string> {
  const { say, locale, session: own } = view
  const [{ sessions, acts }, operators] = await Promise.all([listSessions(pages), listOperators(pages)])
  const hidden = sessions.length - SESSIONS_SHOWN
  const may = mayDo(own.operator, revokeOperatorSession)
  const rows = sessions
    .slice(0, SESSIONS_SHOWN)
    .map(({ id, operator, signedInBy, createdAt, expiresAt }) => ({
      safeCells: [
        <Text>{operator.name}</Text>,
        <Text>{roleName(operator.role, say)}</Text>,
        <Text>{say(`signedInBy_${signedInBy}`)}</Text>,
        <Text>{pages.formats.moment(createdAt, locale)}</Text>,
        <Text>{pages.formats.moment(expiresAt, locale)}</Text>,
        id === own.id ? (
          <Text>{say('ownSession')}</Text>
        ) : may ? (
          <a href={pathOfAct(pages, revokeOperatorSession, id)} safe>
            {titleOf(revokeOperatorSession, view)}
          </a>
        ) : (
          ''
        ),
      ],
    }))
  const columns = [say('who'), say('role'), say('signedInBy'), say('since'), say('ends'), say('nextAct')]
  return renderConsole(pages, {
    ...view,
    title: say('operators'),
    section: 'operators',
    languagePath: addressOf(pages.base, 'operators'),
    safeContent: (
      <>
        <h1 safe>{say('operators')}</h1>
        <NoticeOf {...{ view, notice }} {...{ acts }} />
        <Operators {...{ pages, view, operators }} />
        <Card id="sessions" title={say('sessions')}>
          <Table columns={columns} safeRows={rows} />
          {hidden > 0 ? (
            <p class="soft" safe>
              {say('sessionsHidden', { count: pages.formats.number(hidden, locale) })}
            </p>
          ) : null}
        </Card>
        <p>
          <a href={addressOf(pages.base, 'trail')} safe>
            {say('toTrailPage')}
          </a>
        </p>
      </>
    ),
  })
}

function Operators(of: { pages: AccessPages; view: View; operators: readonly ListedOperator[] }) {
  const { pages, view, operators } = of
  const { say, locale } = view
  const mayMake = mayDo(view.session.operator, createOperatorAct)
  const rows = operators.map(({ name, role, made }) => {
    const acts = [made?.blockedAt ? unblockOperator : blockOperator, newOperatorKey, setOperatorRole]
    return {
      safeCells: [
        <Text>{name}</Text>,
        <Text>{roleName(role, say)}</Text>,
        <Text>{say(`operatorFrom_${made ? 'console' : 'environment'}`)}</Text>,
        <Text>{made ? pages.formats.moment(made.keyedAt, locale) : ''}</Text>,
        <Text>{say(made?.blockedAt ? 'operatorBlocked' : 'operatorActive')}</Text>,
        <div>
          {(made && mayMake ? acts : []).map((act) => (
            <a class="line" href={pathOfAct(pages, act, name)} safe>
              {titleOf(act, view)}
            </a>
          ))}
        </div>,
      ],
    }
  })
  const columns = [
    ...[say('who'), say('role'), say('operatorFrom'), say('keyedAt')],
    ...[say('operatorState'), say('nextAct')],
  ]
  return (
    <Card id="operators" title={say('operatorList')}>
      <Table columns={columns} safeRows={rows} />
      {pages.issuer === null ? null : (
        <p class="soft" safe>
          {say('operatorListText')}
        </p>
      )}
      {mayMake ? (
        <p class="actions">
          <LinkButton
            href={pathOfAct(pages, createOperatorAct, '')}
            label={titleOf(createOperatorAct, view)}
          />
        </p>
      ) : null}
    </Card>
  )
}
