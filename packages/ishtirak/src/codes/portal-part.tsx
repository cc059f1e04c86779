// Codes on the portal: the page with the form, and what was redeemed just now.
import { planById } from '../core/plan.js'
import { inParts, planAndTerm } from '../i18n/formats.js'
import { sayFor } from '../i18n/messages.js'
import type { Message } from '../pages/message-pages.js'
import { LinkButton, Notice } from '../pages/portal-frame.js'
import { type Answered, isUnderReview, type PartSection, type PortalKinds } from '../pages/portal-kinds.js'
import { findOwnUse, listRedemptions, type Redemption } from './code-uses.sql.js'
import {
  CodeForm,
  type CodePages,
  type CodePagesDeps,
  codeRoutes,
  FoldedCode,
  worthPage,
} from './portal-code.js'
import { hashesOf } from './typed-code.js'

const CODE = 'code'

export const codePages: PortalKinds<CodePagesDeps> = {
  routes: (app, pages) => {
    if (pages.codeKeys.length > 0) codeRoutes(app, pages)
  },
  orderField: ({ codeKeys }) => (codeKeys.length > 0 ? FoldedCode : null),
  paths: [CODE],
  read: async ({ codeKeys, database }, { session, asked }) => {
    if (codeKeys.length === 0) return {}
    // The address of the page after a redemption has its id.
    const newId = asked('redeemed')
    const redemptions = newId === null ? [] : await listRedemptions(database, session.userId)
    const redeemed = redemptions.find(({ id }) => id === newId)
    return {
      ...(redeemed && { news: (section) => <Redeemed {...section} redeemed={redeemed} /> }),
      pages: [{ path: CODE, title: 'haveCode', render: CodePage }],
    }
  },
  answers: { code: worthPage },
  refusals: { code_not_valid: { form: { keeps: 'code', page: wrongCode } } },
}

/** `Pro · 3 months · 21 November 2026 to 21 February 2027` */
function Redeemed({ pages, view, say, redeemed }: PartSection & { readonly redeemed: Redemption }) {
  const { plan, months, period_start, period_end } = redeemed
  const day = (timestamp: string) => pages.formats.day(Date.parse(timestamp), view.locale)
  const period = say('boughtPeriod', { start: day(period_start), end: day(period_end) })
  const bought = planAndTerm(planById(pages.catalogue, plan) ?? { name: plan }, months, view.locale)
  return <Notice tone="" title={say('redeemedTitle')} text={inParts([bought, period], view.locale)} />
}

/**
 * A code can be redeemed while a payment is open; one that makes it cheaper takes its place. While a payment
 * is under review, the user is asked to wait.
 */
function CodePage({ pages, view, say }: PartSection) {
  if (isUnderReview(view)) return null
  return (
    <section class="card">
      <CodeForm pages={pages} session={view.session} say={say} />
    </section>
  )
}

async function wrongCode(pages: CodePages, { session, locale, value }: Answered): Promise<Partial<Message>> {
  const say = sayFor(pages.seller.identity, locale)
  // It says nothing about other users.
  const hashes = hashesOf(pages.codeKeys, value)
  const use = value === '' ? null : await findOwnUse(pages.database, session.userId, hashes)
  return {
    ...(use && {
      text: say(use.isOpen ? 'codeHeld' : 'codeUsed', { date: pages.formats.moment(use.usedAt, locale) }),
    }),
    safeMore: (
      <>
        <CodeForm {...{ pages, session, say }} wrong={value} />
        <p class="actions">
          <LinkButton href={`${pages.base}/portal`} label={say('backToPortal')} />
        </p>
      </>
    ),
  }
}
