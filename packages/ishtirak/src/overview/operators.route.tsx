// The operators who are signed in to the console, and the act that ends a session.

import type { AccessPages } from '../access/pages.js'
import { listSessions, revokeSession } from '../access/sessions.js'
import { actRoutes } from '../acts/act.route.js'
import { NO_USER } from '../acts/subject.js'
import { BillingError } from '../core/error.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { addressOf, renderConsole, sendPage, Table, Text, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { Card } from '../pages/portal-frame.js'
import { type Notice, NoticeOf, noticeIn } from './trail.js'
import { type ShownTrail, TrailCard, trailAddress, trailIn } from './trail-card.js'

/** Newest first: a key that a program signs in with every minute has hundreds of sessions. */
const SESSIONS_SHOWN = 40

const REVOKE = '/console/operators/:session_id/revoke'

export function operatorsRoutes(app: App, pages: AccessPages): void {
  const hidden = forOperators(pages)

  app.get('/console/operators', hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const trail = await trailIn(pages, request)
    return sendPage(pages, reply, await operatorsPage(pages, view, { trail, notice: noticeIn(request) }))
  })

  actRoutes(app, pages, REVOKE, {
    act: 'operator.revoke',
    isReasonRequired: true,
    ask: (view, { session_id: id = '' }) => askToRevoke(pages, view, id),
    about: async () => ({ userId: NO_USER, path: addressOf(pages.base, 'operators') }),
    run: ({ session_id: id = '' }, by) => revokeSession(pages, id, by),
  })
}

async function operatorsPage(
  pages: AccessPages,
  view: View,
  { trail, notice }: { trail: ShownTrail; notice: Notice },
): Promise<string> {
  const { say, locale, session: own } = view
  const path = addressOf(pages.base, 'operators')
  const { sessions } = await listSessions(pages)
  const hidden = sessions.length - SESSIONS_SHOWN
  const may = mayDo(own.operator, 'operator.revoke')
  const rows = sessions
    .slice(0, SESSIONS_SHOWN)
    .map(({ id, operator, signedInBy, createdAt, expiresAt }) => ({
      safeCells: [
        <Text>{operator.name}</Text>,
        <Text>{say(`role_${operator.role}`)}</Text>,
        <Text>{say(`signedInBy_${signedInBy}`)}</Text>,
        <Text>{pages.formats.moment(createdAt, locale)}</Text>,
        <Text>{pages.formats.moment(expiresAt, locale)}</Text>,
        id === own.id ? (
          <Text>{say('ownSession')}</Text>
        ) : may ? (
          <a href={`${addressOf(pages.base, 'operators', id)}/revoke`} safe>
            {say('act_revoke')}
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
    languagePath: trailAddress(path, trail.filter),
    safeContent: (
      <>
        <h1 safe>{say('operators')}</h1>
        <NoticeOf {...{ view, notice }} acts={trail.trail.data} />
        <Card id="sessions" title={say('sessions')}>
          <Table columns={columns} safeRows={rows} />
          {hidden > 0 ? (
            <p class="soft" safe>
              {say('sessionsHidden', { count: pages.formats.number(hidden, locale) })}
            </p>
          ) : null}
        </Card>
        <TrailCard {...{ pages, view, path }} shown={trail} />
      </>
    ),
  })
}

async function askToRevoke(pages: AccessPages, { say, locale }: View, sessionId: string) {
  const found = (await listSessions(pages)).sessions.find(({ id }) => id === sessionId)
  if (!found) throw new BillingError('not_found', { extra: { session_id: sessionId } })
  const { operator, expiresAt } = found
  const backPath = addressOf(pages.base, 'operators')
  return {
    title: say('act_revoke'),
    text: say('text_revoke'),
    path: `${backPath}/${encodeURIComponent(sessionId)}/revoke`,
    backPath,
    // A session has none: it is there or not.
    version: 0,
    changes: [
      {
        name: say('sessionOf', { name: operator.name }),
        before: say('sessionUntil', { end: pages.formats.moment(expiresAt, locale) }),
        after: say('sessionOver'),
      },
    ],
  }
}
