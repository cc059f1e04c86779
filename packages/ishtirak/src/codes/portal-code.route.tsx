// The portal page of a code's worth: the months that a button redeems, or the price of each purchase with it.
import { type CodeWorth, readCodeWorth } from '../checkout/code-worth.js'
import { ChoiceForm } from '../checkout/plan-cards.js'
import { BY_CARD, offerValue } from '../checkout/portal-choice.js'
import type { QuoteDeps } from '../checkout/quote.js'
import type { App } from '../http/app.js'
import { planAndTerm, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import { answerForm, messagePage, shortened } from '../pages/message-pages.js'
import { portalForm } from '../pages/own-form.js'
import { FormToken, LinkButton, type Pages, SubmitButton } from '../pages/portal-frame.js'
import type { Answered } from '../pages/portal-kinds.js'
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

/** Throws `code_not_valid` if it is no longer valid. */
export async function worthPage(pages: CodePages, view: Answered): Promise<string> {
  const worth = await readCodeWorth(pages, view.session.userId, view.value)
  return worth.kind === 'months' ? monthsPage(pages, view, worth) : discountPage(pages, view, worth)
}

function monthsPage(
  pages: CodePages,
  { session, locale, value: code }: Answered,
  { plan, months, period }: Extract<CodeWorth, { kind: 'months' }>,
): string {
  const { base, formats } = pages
  const words = { plan: planName(plan.name, locale), term: termInWords(months, locale) }
  const days = { start: formats.day(period.start, locale), end: formats.day(period.end, locale) }
  return messagePage(pages, locale, (say) => ({
    title: say('codeGives', words),
    text: say('codeGivesText', days),
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

function discountPage(
  pages: CodePages,
  { session, locale, value: code }: Answered,
  { quotes }: Extract<CodeWorth, { kind: 'discount' }>,
): string {
  const money = (dinars: number) => pages.formats.money(dinars, locale)
  return messagePage(pages, locale, (say) => ({
    title: say('codeDiscount'),
    backUrl: pages.backUrl(session),
    safeMore: (
      <>
        <ChoiceForm {...{ pages, session }} kept={{ method: BY_CARD.method, code }}>
          <ul class="picks">
            {quotes.map((quote) => (
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
          <LinkButton href={`${pages.base}/portal`} label={say('backToPortal')} />
        </p>
      </>
    ),
  }))
}
