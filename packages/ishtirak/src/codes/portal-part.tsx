// Codes on the portal: the field, the result of a redemption, and the pages of a code.
import { sayFor } from '../i18n/messages.js'
import type { Message } from '../pages/message-pages.js'
import { LinkButton, Notice } from '../pages/portal-frame.js'
import {
  type Answered,
  isUnderReview,
  type PartSection,
  type PortalKinds,
  type PortalPart,
} from '../pages/portal-kinds.js'
import { selectOwnUse } from './code-uses.sql.js'
import { type CodePages, type CodePagesDeps, codeRoutes, worthPage } from './portal-code.route.js'
import { CodeForm, FoldedCode, inWords } from './portal-redemptions.js'
import { listRedemptions, type Redemption } from './redeem.sql.js'
import { hashesOf } from './typed-code.js'

const CODE = 'code'

export const codePages: PortalKinds<CodePagesDeps> = {
  routes: (app, pages) => {
    if (pages.codeKeys.length > 0) codeRoutes(app, pages)
  },
  orderField: ({ codeKeys }) => (codeKeys.length > 0 ? FoldedCode : null),
  paths: [CODE],
  read: async ({ codeKeys, database }, { session, asked }) => {
    const newId = asked('redeemed')
    const redemptions = newId === null ? [] : await listRedemptions(database, session.userId)
    const redeemed = redemptions.find(({ id }) => id === newId)
    return codeKeys.length > 0 ? partOf(redeemed) : {}
  },
  answers: { code: worthPage },
  refusals: { code_not_valid: { form: { keeps: 'code', page: wrongCode } } },
}

/** `redeemed` is set just after a redemption. */
function partOf(redeemed: Redemption | undefined): PortalPart {
  return {
    ...(redeemed && {
      news: (section) => (
        <Notice tone="" title={section.say('redeemedTitle')} text={inWords(section, redeemed)} />
      ),
    }),
    pages: [{ path: CODE, title: 'haveCode', render: CodePage }],
  }
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
  // The user's newest use of the code. Null says nothing about other users.
  const hashes = hashesOf(pages.codeKeys, value)
  const use = value === '' ? null : await selectOwnUse(pages.database, session.userId, hashes)
  return {
    ...(use && {
      text: say(use.isOpen ? 'codeHeld' : 'codeUsed', { date: pages.formats.moment(use.at, locale) }),
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
