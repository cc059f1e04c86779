// The portal page on which a company makes a proforma, and orders one by transfer.

import { sendUserFile } from '../acts/files.js'
import { changesFor, decisionsFor, offerValue, readOffer } from '../checkout/portal-choice.js'
import { missingDetails } from '../core/buyer-details.js'
import { isPoNumber } from '../core/po-number.js'
import { type Quote, quotesIn } from '../core/quote.js'
import type { App } from '../http/app.js'
import { inParts, paidForInWords, termInWords } from '../i18n/formats.js'
import { planName } from '../i18n/messages.js'
import { type Field, Input } from '../pages/field.js'
import { LinkButton, OwnForm, P, SubmitButton, Words } from '../pages/parts.js'
import { portalForm } from '../pages/portal-form.js'
import type { Pages } from '../pages/portal-frame.js'
import type { PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { transferMethod } from '../transfers/transfer.route.js'
import {
  makeProforma,
  openProformas,
  orderProforma,
  type ProformaDeps,
  printProforma,
  requireProforma,
} from './proforma.js'
import type { Proforma } from './proformas.sql.js'

const PROFORMAS = 'proformas'
const PATH = `/portal/${PROFORMAS}`

export const proformaPages: PortalKinds<ProformaDeps> = {
  routes: proformaRoutes,
  paths: [PROFORMAS],
  // A proforma names the company, so its details have to be whole.
  read: async (deps, { session, page, overview: { buyer } }) => {
    if (missingDetails(buyer).length > 0 || !transferMethod(deps)) return {}
    const open = page === PROFORMAS ? await openProformas(deps, session.userId) : []
    const render = (section: PartSection) => <ProformaPage {...section} open={open} />
    return { pages: [{ path: PROFORMAS, title: 'proformaTitle', render }] }
  },
}

function proformaRoutes(app: App, pages: Pages & ProformaDeps): void {
  portalForm(app, pages, { path: PATH, forReaders: true }, async ({ request, reply, session, field }) => {
    const offer = field('offer')
    const poNumber = field('po_number').trim()
    if (poNumber !== '' && !isPoNumber(poNumber)) {
      const problems = [{ pointer: '/po_number', code: 'wrong_format' as const }]
      return pages.showAgain(request, reply, PROFORMAS, { typed: { offer, po_number: poNumber }, problems })
    }
    const wanted = { ...readOffer(offer), ...(poNumber !== '' && { poNumber }) }
    return `${PATH}#${(await makeProforma(pages, session.userId, wanted)).number}`
  })

  const hidden = { schema: { hide: true }, onRequest: pages.users.onRequest }
  app.get<{ Params: { number: string } }>(`${PATH}/:number`, hidden, async (request, reply) => {
    const session = pages.users.of(request)
    const locale = pages.reader.language(request, reply, session)
    const proforma = await requireProforma(pages, session.userId, request.params.number)
    return sendUserFile(reply, 'application/pdf', await printProforma(pages, proforma, locale))
  })

  portalForm(app, pages, { path: `${PATH}/:number/transfer` }, async ({ by, params: { number = '' } }) => {
    await orderProforma(pages, by, number)
    return '/portal#transfer'
  })
}

function ProformaPage({ open, ...section }: PartSection & { readonly open: readonly Proforma[] }) {
  const { say } = section
  return (
    <section class="card" aria-label={say('proformaTitle')}>
      <P class="soft">{say('proformaText')}</P>
      <AskForm {...section} />
      {open.map((proforma) => (
        <OpenProforma {...section} proforma={proforma} />
      ))}
    </section>
  )
}

/** Offers all that is sold to this user now: each plan change, then more time. */
function AskForm(section: PartSection) {
  const { pages, view, say } = section
  const { session, sent } = view
  const quotes = [...changesFor(section), ...quotesIn(decisionsFor(section))]
  const [first] = quotes
  if (!first) return <p safe>{say('proformaNothing')}</p>
  const offer: Field = {
    ...{ name: 'offer', label: say('proformaOffer'), type: 'text', value: offerValue(first) },
    choices: quotes.map((quote) => [offerValue(quote), inOneLine(section, quote)] as const),
  }
  const poNumber: Field = {
    ...{ name: 'po_number', label: say('proformaPo'), type: 'text', value: '', autocomplete: 'off' },
    explain: () => say('proformaPoWrong'),
  }
  return (
    <OwnForm session={session} action={pages.base + PATH} forReaders>
      <Input {...{ view, sent }} field={offer} isRequired />
      <Input {...{ view, sent }} field={poNumber} isRequired={false} />
      <SubmitButton label={say('proformaMake')} />
    </OwnForm>
  )
}

function inOneLine({ pages: { formats }, view: { locale }, say }: PartSection, quote: Quote): string {
  const { offer, change, amount } = quote
  const term = change ? say('fromNowOn') : termInWords(offer.months, locale)
  return inParts([planName(offer.plan.name, locale), term, formats.money(amount, locale)], locale)
}

function OpenProforma({ pages, view, say, proforma }: PartSection & { readonly proforma: Proforma }) {
  const { locale, session } = view
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
      <OwnForm session={session} action={`${address}/transfer`}>
        <SubmitButton label={say('askForTransfer', { amount: pages.formats.money(amount, locale) })} />
      </OwnForm>
    </section>
  )
}
