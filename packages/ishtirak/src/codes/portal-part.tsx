// Codes on the portal: the form for a code, the page of what it is worth, and what was just redeemed.
import { BY_CARD, ChoiceForm, offerValue } from '../checkout/portal-choice.js'
import { type QuoteDeps, readCodeWorth } from '../checkout/quote.js'
import { planById } from '../core/plan.js'
import type { App } from '../http/app.js'
import { inParts, planAndTerm, termInWords } from '../i18n/formats.js'
import { planName, type Say, sayFor } from '../i18n/messages.js'
import { answerForm, type Message, messagePage, shortened } from '../pages/message-pages.js'
import { FormToken, LinkButton, Notice, OwnForm, SubmitButton } from '../pages/parts.js'
import { portalForm } from '../pages/portal-form.js'
import type { Pages } from '../pages/portal-frame.js'
import {
  type Answered,
  isUnderReview,
  type PartSection,
  type PartView,
  type PortalKinds,
} from '../pages/portal-kinds.js'
import { findOwnUse, listRedemptions, type Redemption } from './code-uses.sql.js'
import { type RedeemDeps, redeem } from './redeem.js'
import { hashesOf } from './typed-code.js'

export type CodePagesDeps = QuoteDeps & RedeemDeps
type CodePages = Pages & CodePagesDeps

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

/** A code can be redeemed while a payment is open, but not while one is under review. */
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

function codeRoutes(app: App, pages: CodePages): void {
  portalForm(app, pages, { path: '/portal/code' }, async ({ reply, session, field }) => {
    const code = shortened(field('code'))
    await readCodeWorth(pages, session.userId, code)
    return answerForm(pages, reply, session, { code })
  })

  portalForm(app, pages, { path: '/portal/redeem' }, async ({ session: { userId }, by, field }) => {
    const planId = field('plan')
    const free = planId === '' ? undefined : { planId, months: Number(field('months')) }
    const { grant } = await redeem(pages, { userId }, { typed: field('code'), free }, by.requestId)
    return `/portal?redeemed=${grant.id}`
  })
}

/** The months that a button redeems, or the price of each purchase. Throws `code_not_valid`. */
async function worthPage(pages: CodePages, { session, locale, value: code }: Answered) {
  const worth = await readCodeWorth(pages, session.userId, code)
  const { base, formats } = pages
  const money = (dinars: number) => formats.money(dinars, locale)
  if (worth.kind === 'discount')
    return messagePage(pages, locale, (say) => ({
      title: say('codeDiscount'),
      backUrl: pages.backUrl(session),
      safeMore: (
        <>
          <ChoiceForm {...{ pages, session }} kept={{ method: BY_CARD.method, code }}>
            <ul class="picks">
              {worth.quotes.map((quote) => (
                <li>
                  <span>
                    <b safe>{planAndTerm(quote.offer.plan, quote.offer.months, locale)}</b>
                    <span class="saves small" safe>
                      {say('insteadOf', { amount: money(quote.offer.price.amount) })}
                    </span>
                  </span>
                  <button type="submit" name="offer" value={offerValue(quote)} class="go" safe>
                    {money(quote.amount)}
                  </button>
                </li>
              ))}
            </ul>
          </ChoiceForm>
          <p class="actions">
            <LinkButton href={`${base}/portal`} label={say('backToPortal')} />
          </p>
        </>
      ),
    }))
  const { plan, months, period } = worth
  return messagePage(pages, locale, (say) => ({
    title: say('codeGives', { plan: planName(plan.name, locale), term: termInWords(months, locale) }),
    text: say('codeGivesText', {
      start: formats.day(period.start, locale),
      end: formats.day(period.end, locale),
    }),
    backUrl: pages.backUrl(session),
    safeMore: (
      <form class="actions" method="post" action={`${base}/portal/redeem`}>
        <FormToken session={session} />
        <input type="hidden" name="code" value={code} />
        <SubmitButton label={say('redeem')} />
        <LinkButton href={`${base}/portal`} label={say('backToPortal')} />
      </form>
    ),
  }))
}

/** The form in which a user types a code. `wrong` is an invalid code, to be corrected. */
function CodeForm(of: Pick<PartSection, 'pages' | 'say'> & Pick<PartView, 'session'> & { wrong?: string }) {
  return (
    <OwnForm session={of.session} action={`${of.pages.base}/portal/code`}>
      <TypedCode {...of} />
    </OwnForm>
  )
}

function FoldedCode({ say }: { readonly say: Say }) {
  return (
    <details>
      <summary safe>{say('haveCode')}</summary>
      <TypedCode say={say} />
    </details>
  )
}

function TypedCode({ say, wrong }: { say: Say; wrong?: string }) {
  return (
    <>
      <label>
        <span safe>{say('code')}</span>
        <input
          type="text"
          name="code"
          required
          maxlength="100"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          dir="ltr"
          {...(wrong !== undefined && { value: wrong, 'aria-invalid': 'true' })}
        />
      </label>
      <button type="submit" safe>
        {say('checkCode')}
      </button>
    </>
  )
}
