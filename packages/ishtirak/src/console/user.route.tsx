// A user in the console, and the portal as that user sees it.

import type { FastifyReply } from 'fastify'
import { actOf, actOnce, byOf, orAgain } from '../acts/act-form.js'
import { actPage, questionPage, type SentForm } from '../acts/act-page.js'
import { plainName } from '../core/name.js'
import { requireRole } from '../core/role.js'
import type { App } from '../http/app.js'
import { directionOf } from '../i18n/messages.js'
import { loadUser } from '../ledger/load.js'
import { type OverviewDeps, readOverview } from '../limits/overview.js'
import { showUser } from '../overview/acts.js'
import type { AllPages } from '../overview/all-pages.js'
import { readTimeline } from '../overview/timeline.js'
import { noticeIn } from '../overview/trail.js'
import { addressOf, goTo, sendPage, type View } from '../pages/console-frame.js'
import { forOperators, viewOf } from '../pages/console-view.js'
import { LinkButton, pageHeaders, readSheet, styleWith } from '../pages/portal-frame.js'
import type { ViewAsUser } from '../pages/portal-kinds.js'
import { fieldOf, isFromAnotherSite, queryOf } from '../pages/reader.js'
import { namingFields, USER_ACT_NAMES, USER_ACTS, type UserAct, type UserActName } from './user-acts.js'
import { userPage } from './user-page.js'

interface Params {
  readonly user_id: string
}

interface ActParams extends Params {
  readonly act: string
}

/** Of the timeline on one page. */
const SHOWN = 20

export function userRoutes(
  app: App,
  pages: AllPages & OverviewDeps & { readonly viewAsUser: ViewAsUser },
): void {
  const hidden = forOperators(pages)
  const portal = readOnlyPortal(pages)
  actRoutes(app, pages)

  app.get<{ Params: Params }>('/console/users/:user_id', hidden, async (request, reply) => {
    const { user_id: userId } = request.params
    const file = await showUser(pages, userId)
    const overview = await readOverview({ ...pages, looks: async () => false }, userId)
    const cursor = queryOf(request, 'cursor') ?? null
    const timeline = await readTimeline(pages, { userId, cursor, limit: SHOWN })
    const view = viewOf(pages, request, reply)
    const shown = { file, overview, timeline, isFirst: cursor === null, notice: noticeIn(request) }
    return sendPage(pages, reply, userPage(pages, view, shown))
  })

  app.get<{ Params: Params }>('/console/users/:user_id/portal', hidden, async (request, reply) => {
    const { user_id: userId } = request.params
    // Each look is in the audit trail: another site does not look in an operator's name.
    if (isFromAnotherSite(request)) return goTo(pages, reply, addressOf('', 'users', userId))
    const view = viewOf(pages, request, reply)
    const { operator } = view.session
    const safeStart = <Banner pages={pages} view={view} userId={userId} />
    const { style, headers } = portal
    const page = await pages.viewAsUser({ userId, operator, requestId: request.id, style, safeStart })
    return reply.headers(headers).send(page)
  })
}

function actRoutes(app: App, pages: AllPages): void {
  const hidden = forOperators(pages)
  const path = '/console/users/:user_id/:act'

  app.get<{ Params: ActParams }>(path, hidden, async (request, reply) => {
    const { user_id: userId, act } = request.params
    const given = (field: string) => queryOf(request, field) ?? ''
    const asked = { userId, name: actOf(USER_ACT_NAMES, act), given, problems: null }
    return sendAskPage(pages, viewOf(pages, request, reply), reply, asked)
  })

  app.post<{ Params: ActParams }>(path, hidden, async (request, reply) => {
    const { user_id: userId, act } = request.params
    const name = actOf(USER_ACT_NAMES, act)
    const { run }: UserAct = USER_ACTS[name]
    const given = (field: string) => fieldOf(request, field)
    return orAgain(
      async () => {
        const by = byOf(pages, request, true)
        const about = { userId, path: addressOf(pages.base, 'users', userId) }
        return actOnce(pages, reply, about, by, () => namingFields(() => run(pages, userId, given, by)))
      },
      (problems) => {
        const view = viewOf(pages, request, reply)
        return sendAskPage(pages, view, reply.code(422), { userId, name, given, problems })
      },
    )
  })
}

/** The question, the page that asks once more, or the question again where its answer cannot be acted on. */
async function sendAskPage(
  pages: AllPages,
  view: View,
  reply: FastifyReply,
  of: {
    readonly userId: string
    readonly name: UserActName
    readonly given: (field: string) => string
    /** With a form that was sent already; null: none was. */
    readonly problems: SentForm['problems'] | null
  },
): Promise<FastifyReply> {
  const { userId, name, given, problems } = of
  const { say } = view
  const act: UserAct = USER_ACTS[name]
  requireRole(view.session.operator, act.act)
  const backPath = addressOf(pages.base, 'users', userId)
  const user = await loadUser(pages, userId)
  const page = {
    title: say(`act_${name}`),
    about: plainName(user.name ?? user.email ?? userId),
    text: say(`text_${name}`),
    path: `${backPath}/${name}`,
    backPath,
  }
  const ask = async (wrong: SentForm['problems'] | null) => {
    const fields = act.fieldsOf?.(pages, view, user) ?? []
    const typed = Object.fromEntries(fields.map((field) => [field.name, given(field.name)]))
    const sent = wrong && { typed, problems: wrong }
    return sendPage(pages, reply, questionPage(pages, view, { ...page, fields, sent }))
  }
  if (act.asks !== undefined && given(act.asks) === '' && problems === null) return ask(null)
  return orAgain(
    async () => {
      const shown = await namingFields(() => act.show(pages, view, userId, given))
      const sent = problems && { typed: { why: given('why') }, problems }
      return sendPage(pages, reply, actPage(pages, view, { ...page, isReasonRequired: true, sent, ...shown }))
    },
    (wrong) => {
      reply.code(422)
      return ask(wrong)
    },
  )
}

const BANNER_SHEET = readSheet(new URL('./banner.css', import.meta.url))

/** The pages of the portal as they look, sent so that no browser sends anything from them. */
function readOnlyPortal(pages: AllPages) {
  const style = `${styleWith(pages.seller.shop.color)}${BANNER_SHEET}`
  return { style, headers: pageHeaders(style, "'none'", "form-action 'none'") }
}

/** In the language of the operator: the page below is in that of its user. */
function Banner({ pages, view, userId }: { pages: AllPages; view: View; userId: string }) {
  const { say, locale } = view
  return (
    <aside
      class="notice warn looking"
      lang={locale}
      dir={directionOf(locale)}
      aria-label={say('asUserTitle')}
    >
      <p>
        <b safe>{say('asUserTitle')}</b> <span safe>{say('asUserText')}</span>
      </p>
      <LinkButton href={addressOf(pages.base, 'users', userId)} label={say('asUserBack')} />
    </aside>
  )
}
