// The portal page on which a company makes a proforma, and orders one by transfer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendUserFile } from '../acts/send-file.js'
import { BUYER_PAGE } from '../buyers/portal-part.js'
import { offerValue, readOffer } from '../checkout/portal-choice.js'
import { missingDetails } from '../core/buyer-details.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { mayOrder } from '../core/person.js'
import { isPoNumber, PO_NUMBER_MAX } from '../core/po-number.js'
import { changeQuotes, type Quote, quotesIn, termDecisions } from '../core/quote.js'
import { NEVER_PAID, type SubscriptionFacts } from '../core/subscription.js'
import type { App } from '../http/app.js'
import { inParts, paidForInWords, termInWords } from '../i18n/formats.js'
import { planName, type Say, sayFor } from '../i18n/messages.js'
import { hrefIn, OwnForm, senderOf } from '../pages/own-form.js'
import { LinkButton, type Pages, renderPage, SubmitButton } from '../pages/portal-frame.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { actorOf, fieldOf, type Session } from '../pages/reader.js'
import { Words } from '../pages/words.js'
import { transferMethod } from '../transfers/transfer.route.js'
import { fileOfProforma } from './proforma.call.js'
import { makeProforma, openProformas, orderProforma, type ProformaDeps, requireProforma } from './proforma.js'
import type { Proforma } from './proformas.sql.js'

type ProformaPages = Pages & ProformaDeps

const PROFORMAS = 'proformas'

export const proformaPages: PortalKinds<ProformaDeps> = {
  routes: proformaPageRoutes,
  read: async (deps, { overview: { buyer } }) =>
    buyer && missingDetails(buyer).length === 0 && transferMethod(deps)
      ? { pages: [{ path: PROFORMAS, title: 'proformaTitle' }] }
      : {},
}

const PATH = `/portal/${PROFORMAS}`

function proformaPageRoutes(app: App, pages: ProformaPages): void {
  const hidden = { schema: { hide: true }, onRequest: pages.users.onRequest }

  app.get(PATH, hidden, (request, reply) => {
    const session = pages.users.of(request)
    return sendPage(pages, request, reply, { session, offer: null, poNumber: '', isWrong: false })
  })

  app.post(PATH, { ...hidden, config: { forReaders: true } }, async (request, reply) => {
    const session = senderOf(pages, request)
    const offer = fieldOf(request, 'offer')
    const poNumber = fieldOf(request, 'po_number').trim()
    if (poNumber !== '' && !isPoNumber(poNumber))
      return sendPage(pages, request, reply.code(422), {
        session,
        offer,
        poNumber,
        isWrong: true,
      })
    const wanted = { ...readOffer(offer), ...(poNumber !== '' && { poNumber }) }
    const { number } = await makeProforma(pages, session.userId, wanted)
    return reply.headers(pages.headers).redirect(`${pages.base}${PATH}#${number}`, 303)
  })

  app.get<{ Params: { number: string } }>(`${PATH}/:number`, hidden, async (request, reply) => {
    const session = pages.users.of(request)
    const locale = pages.reader.language(request, reply, session)
    const proforma = await requireProforma(pages, session.userId, request.params.number)
    return sendUserFile(reply, 'application/pdf', await fileOfProforma(pages, proforma, locale))
  })

  app.post<{ Params: { number: string } }>(`${PATH}/:number/transfer`, hidden, async (request, reply) => {
    const session = senderOf(pages, request)
    const locale = pages.reader.language(request, reply, session)
    const by = { user: actorOf(session), locale, requestId: request.id }
    await orderProforma(pages, by, request.params.number)
    return reply.headers(pages.headers).redirect(`${pages.base}/portal#transfer`, 303)
  })
}

interface Shown {
  readonly session: Session
  /** The offer selected in the form; null: the first. */
  readonly offer: string | null
  readonly poNumber: string
  /** True if the typed purchase order number is not valid. */
  readonly isWrong: boolean
}

async function sendPage(pages: ProformaPages, request: FastifyRequest, reply: FastifyReply, shown: Shown) {
  const { session } = shown
  const locale = pages.reader.language(request, reply, session)
  const say = sayFor(pages.seller.identity, locale)
  const title = say('proformaTitle')
  const loaded = await pages.loadUser(session.userId)
  const isWhole = missingDetails(loaded?.user.buyer ?? null).length === 0
  const quotes = quotesFor(pages, loaded?.user.subscription ?? NEVER_PAID, pages.clock.now())
  const open = await openProformas(pages, session.userId)
  const of = { pages, say, locale, shown }
  const html = renderPage(pages, {
    ...{ locale, title, languagePath: pages.base + PATH, backUrl: pages.backUrl(session) },
    safeContent: (
      <section class="middle card">
        <h1 safe>{title}</h1>
        <p class="soft" safe>
          {say('proformaText')}
        </p>
        {isWhole ? <AskForm {...of} quotes={quotes} /> : <AskForDetails {...of} />}
        {open.map((proforma) => (
          <OpenProforma {...of} proforma={proforma} />
        ))}
        <p class="actions">
          <LinkButton href={`${pages.base}/portal`} label={say('backToPortal')} />
        </p>
      </section>
    ),
  })
  return reply.headers(pages.headers).send(html)
}

/** All that is sold to this user now: each plan change, then more time. */
function quotesFor(
  { catalogue, rules }: ProformaPages,
  facts: SubscriptionFacts,
  now: Instant,
): readonly Quote[] {
  const terms = quotesIn(termDecisions(facts, catalogue, now, rules))
  return [...changeQuotes(facts, catalogue, now, rules), ...terms]
}

interface OfPage {
  readonly pages: ProformaPages
  readonly say: Say
  readonly locale: Locale
  readonly shown: Shown
}

/** Shown while details are missing, because a proforma needs them. */
function AskForDetails({ pages, say, shown }: OfPage) {
  return (
    <>
      <p safe>{say('proformaLacks')}</p>
      <p class="actions">
        <LinkButton href={hrefIn(shown.session, pages.base + BUYER_PAGE)} label={say('buyerTitle')} />
      </p>
    </>
  )
}

function AskForm({ pages, say, locale, shown, quotes }: OfPage & { readonly quotes: readonly Quote[] }) {
  if (quotes.length === 0) return <p safe>{say('proformaNothing')}</p>
  const chosen = shown.offer ?? offerValue(quotes.at(0) as Quote)
  const wrong = shown.isWrong && { 'aria-invalid': 'true' as const, 'aria-describedby': 'wrong-po' }
  return (
    <OwnForm session={shown.session} action={pages.base + PATH} forReaders>
      <label>
        <span safe>{say('proformaOffer')}</span>
        <select name="offer">
          {quotes.map((quote) => (
            <option value={offerValue(quote)} selected={offerValue(quote) === chosen} safe>
              {inOneLine(pages, quote, locale, say)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span safe>{say('proformaPo')}</span>
        <input
          type="text"
          name="po_number"
          value={shown.poNumber}
          maxlength={String(PO_NUMBER_MAX)}
          autocomplete="off"
          dir="auto"
          {...wrong}
        />
        {shown.isWrong ? (
          <span class="over small" id="wrong-po" safe>
            {say('proformaPoWrong')}
          </span>
        ) : null}
      </label>
      <SubmitButton label={say('proformaMake')} />
    </OwnForm>
  )
}

function inOneLine({ formats }: ProformaPages, quote: Quote, locale: Locale, say: Say): string {
  const { offer, change, amount } = quote
  const term = change ? say('fromNowOn') : termInWords(offer.months, locale)
  return inParts([planName(offer.plan.name, locale), term, formats.money(amount, locale)], locale)
}

function OpenProforma(of: OfPage & { readonly proforma: Proforma }) {
  const { pages, say, locale, shown, proforma } = of
  const { number, agreed, snapshot } = proforma
  const { offer, change, amount } = agreed
  const address = `${pages.base}${PATH}/${number}`
  const bought = change
    ? ({ kind: 'change', plan: offer.plan, months: null } as const)
    : ({ kind: 'purchase', plan: offer.plan, months: offer.months } as const)
  const until = pages.formats.day(Date.parse(`${snapshot.validUntil}T12:00:00Z`), locale)
  return (
    <section class="notice" aria-labelledby={number}>
      <h2 id={number}>
        <bdi safe>{number}</bdi>
      </h2>
      <p>
        <span safe>{paidForInWords(bought, locale)}</span>
        {' · '}
        <b safe>{pages.formats.money(amount, locale)}</b>
        {snapshot.poNumber === undefined ? null : (
          <>
            {' · '}
            <bdi safe>{snapshot.poNumber}</bdi>
          </>
        )}
      </p>
      <p>
        <Words>{say('proformaUntil', { date: until })}</Words>
      </p>
      <p class="actions">
        <LinkButton href={address} label={say('proformaPdf')} isBeside />
      </p>
      {mayOrder(shown.session) ? (
        <OwnForm session={shown.session} action={`${address}/transfer`}>
          <SubmitButton label={say('askForTransfer', { amount: pages.formats.money(amount, locale) })} />
        </OwnForm>
      ) : null}
    </section>
  )
}
