// The portal's one page: first notices and what can be bought; then the plans for users without paid time, or usage and
// payments for users with paid time.
import { isPaidNow } from '../core/upgrade.js'
import { sayFor } from '../i18n/messages.js'
import { FormToken, renderPage } from './frame.js'
import { Hero } from './hero.js'
import { History } from './history.js'
import { Notices, OverLimitNotice } from './notices.js'
import type { Pages } from './pages.js'
import { Plans } from './plan-cards.js'
import type { PortalView, Section } from './section.js'
import { UsageBars } from './usage-bars.js'

export function portalPage(pages: Pages, view: PortalView): string {
  const { session, locale } = view
  const say = sayFor(pages.seller.identity, locale)
  const section: Section = { pages, view, say }
  const who = session.name ?? session.email
  return renderPage(pages, {
    locale,
    title: say('portalTitle'),
    languagePath: `${pages.base}/portal`,
    backUrl: pages.backUrl(session),
    safeEnd: (
      <form method="post" action={`${pages.base}/portal/leave`}>
        <FormToken session={session} />
        <button type="submit" safe>
          {say('leave')}
        </button>
      </form>
    ),
    safeContent: (
      <>
        <div>
          <h1 safe>{say('portalTitle')}</h1>
          {who === null ? null : (
            <p class="who">
              <bdi safe>{who}</bdi>
            </p>
          )}
        </div>
        <Notices {...section} />
        <Hero {...section} />
        <OverLimitNotice {...section} />
        <Rest {...section} />
      </>
    ),
  })
}

function Rest(section: Section) {
  return isPaidNow(section.view.overview.subscription) ? (
    <>
      <UsageBars {...section} />
      <History {...section} />
      <Plans {...section} />
    </>
  ) : (
    <>
      <Plans {...section} />
      <UsageBars {...section} />
      <History {...section} />
    </>
  )
}
