// Codes on the user's pages: the form in which a code is typed, and the page of what a code is worth.
import { readCodeWorth } from '../checkout/code-worth.js'
import { BY_CARD, ChoiceForm, offerValue } from '../checkout/portal-choice.js'
import type { QuoteDeps } from '../checkout/quote.js'
import type { App } from '../http/app.js'
import { planAndTerm, termInWords } from '../i18n/formats.js'
import { planName, type Say } from '../i18n/messages.js'
import { answerForm, messagePage, shortened } from '../pages/message-pages.js'
import { OwnForm, portalForm } from '../pages/own-form.js'
import { FormToken, LinkButton, type PageParts, type Pages, SubmitButton } from '../pages/portal-frame.js'
import type { Answered } from '../pages/portal-kinds.js'
import type { ReadOnlySession, Session } from '../pages/reader.js'
import { type RedeemDeps, redeem } from './redeem.js'

export type CodePagesDeps = QuoteDeps & RedeemDeps
export type CodePages = Pages & CodePagesDeps

export function codeRoutes(app: App, pages: CodePages): void {
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

/**
 * The months that a button redeems, or the price of each purchase with the code. Throws `code_not_valid` if
 * the code is no longer valid.
 */
export async function worthPage(pages: CodePages, { session, locale, value: code }: Answered) {
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
export function CodeForm(of: {
  readonly pages: Pick<PageParts, 'base'>
  readonly session: Session | ReadOnlySession
  readonly say: Say
  readonly wrong?: string
}) {
  return (
    <OwnForm session={of.session} action={`${of.pages.base}/portal/code`}>
      <TypedCode {...of} />
    </OwnForm>
  )
}

/** The field on the page of an order. */
export function FoldedCode({ say }: { readonly say: Say }) {
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
