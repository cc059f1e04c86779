// The portal page of a code's worth: the months that a button redeems, or the price of each purchase with it.
import { type CodeWorth, readCodeWorth } from '../checkout/code-worth.js'
import { ChoiceForm } from '../checkout/plan-cards.js'
import { BY_CARD, offerValue } from '../checkout/portal-choice.js'
import type { QuoteDeps } from '../checkout/quote.js'
import type { App } from '../http/app.js'
import { planAndTerm, termInWords } from '../i18n/formats.js'
import { planName, sayFor } from '../i18n/messages.js'
import { answerForm, messagePage, shortened } from '../pages/message-pages.js'
import { senderOf } from '../pages/own-form.js'
import { FormToken, LinkButton, type Pages, renderPage, SubmitButton } from '../pages/portal-frame.js'
import type { Answered } from '../pages/portal-kinds.js'
import { fieldOf } from '../pages/reader.js'
import { type RedeemDeps, redeem } from './redeem.js'

export type CodePagesDeps = QuoteDeps & RedeemDeps
export type CodePages = Pages & CodePagesDeps

export function codeRoutes(app: App, pages: CodePages): void {
  const { users } = pages
  const hidden = { schema: { hide: true }, onRequest: users.onRequest }

  app.post('/portal/code', hidden, async (request, reply) => {
    const session = senderOf(pages, request)
    const code = shortened(fieldOf(request, 'code'))
    await readCodeWorth(pages, session.userId, code)
    return answerForm(pages, reply, session, { code })
  })

  app.post('/portal/redeem', hidden, async (request, reply) => {
    const { userId } = senderOf(pages, request)
    const planId = fieldOf(request, 'plan')
    const free = planId === '' ? undefined : { planId, months: Number(fieldOf(request, 'months')) }
    const typed = fieldOf(request, 'code')
    const { grant } = await redeem(pages, { userId }, { typed, free }, request.id)
    return reply.headers(pages.headers).redirect(`${pages.base}/portal?redeemed=${grant.id}`, 303)
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
  const say = sayFor(pages.seller.identity, locale)
  const title = say('codeDiscount')
  const money = (dinars: number) => pages.formats.money(dinars, locale)
  return renderPage(pages, {
    locale,
    title,
    languagePath: `${pages.base}/portal`,
    backUrl: pages.backUrl(session),
    safeContent: (
      <section class="middle card">
        <h1 safe>{title}</h1>
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
      </section>
    ),
  })
}
