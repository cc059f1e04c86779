// The operators who are signed in to the console, each with the act that ends the session.

import type { AccessPages } from '../access/issuer.js'
import { revokeOperatorSession } from '../access/session-acts.js'
import { listSessions } from '../access/sessions.js'
import { pathOfAct, titleOf } from '../acts/act-console.js'
import { mayDo } from '../core/role.js'
import type { App } from '../http/app.js'
import { addressOf, renderConsole, sendPage, Table, Text, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { Card } from '../pages/portal-frame.js'
import { NoticeOf, noticeIn, type TrailNotice } from './trail.js'
import { type ShownTrail, TrailCard, trailAddress, trailIn } from './trail-card.js'

/** Newest first: a key that a program signs in with every minute has hundreds of sessions. */
const SESSIONS_SHOWN = 40

export function operatorsRoutes(app: App, pages: AccessPages): void {
  const hidden = forOperators(pages)

  app.get('/console/operators', hidden, async (request, reply) => {
    const view = viewOf(pages, request, reply)
    const trail = await trailIn(pages, request)
    return sendPage(pages, reply, await operatorsPage(pages, view, { trail, notice: noticeIn(request) }))
  })
}

async function operatorsPage(
  pages: AccessPages,
  view: View,
  { trail, notice }: { trail: ShownTrail; notice: TrailNotice },
): Promise<string> {
  const { say, locale, session: own } = view
  const path = addressOf(pages.base, 'operators')
  const { sessions } = await listSessions(pages)
  const hidden = sessions.length - SESSIONS_SHOWN
  const may = mayDo(own.operator, revokeOperatorSession)
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
