// The portal page on which the owner of an account enters the buyer's details for invoices.
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  BUYER_FIELDS,
  BUYER_KINDS,
  type BuyerDetails,
  type BuyerField,
  fieldsOfBuyer,
} from '../core/buyer-details.js'
import { BillingError, type ValidationProblem } from '../core/error.js'
import type { Locale } from '../core/locale.js'
import { ownsAccount } from '../core/person.js'
import type { App } from '../http/app.js'
import { type Say, sayFor } from '../i18n/messages.js'
import { OwnForm, senderOf } from '../pages/own-form.js'
import { LinkButton, Notice, type Pages, renderPage, SubmitButton } from '../pages/portal-frame.js'
import type { PortalKinds } from '../pages/portal-kinds.js'
import { actorOf, fieldOf, queryOf, type Session } from '../pages/reader.js'
import { buyerInWords, faultInWords, kindInWords, labelOf, lacksInWords } from './buyer-words.js'
import type { TypedBuyer } from './read-buyer.js'
import { type BuyerDeps, readBuyer, setBuyer } from './set-buyer.js'

type BuyerPages = Pages & BuyerDeps

const BUYER = 'buyer'

export const buyerPages: PortalKinds<BuyerDeps> = {
  routes: buyerRoutes,
  read: async () => ({ pages: [{ path: BUYER, title: 'buyerTitle' }] }),
}

export const BUYER_PAGE = `/portal/${BUYER}`

function buyerRoutes(app: App, pages: BuyerPages): void {
  const hidden = { schema: { hide: true }, onRequest: pages.users.onRequest }

  app.get(BUYER_PAGE, hidden, async (request, reply) => {
    const session = pages.users.of(request)
    const buyer = await readBuyer(pages, session.userId)
    const isSaved = queryOf(request, 'saved') !== undefined
    // Most users are persons, and the platform has said who they are.
    const { name, email } = session
    const typed = buyer === null ? { kind: 'person', name, email } : fieldsOfBuyer(buyer)
    return sendPage(pages, request, reply, { session, buyer, typed, problems: [], isSaved })
  })

  app.post(BUYER_PAGE, hidden, async (request, reply) => {
    const session = senderOf(pages, request)
    const typed = Object.fromEntries(BUYER_FIELDS.map((field) => [field, fieldOf(request, field)]))
    try {
      await setBuyer(pages, actorOf(session), typed)
    } catch (error) {
      if (!(error instanceof BillingError) || error.problems.length === 0) throw error
      const { problems } = error
      const shown = { session, buyer: null, typed, problems, isSaved: false }
      return sendPage(pages, request, reply.code(422), shown)
    }
    return reply.headers(pages.headers).redirect(`${pages.base}${BUYER_PAGE}?saved=yes`, 303)
  })
}

interface Shown {
  readonly session: Session
  readonly buyer: BuyerDetails | null
  /** The values that were typed in the form. */
  readonly typed: TypedBuyer
  readonly problems: readonly ValidationProblem[]
  /** True after the form was saved. */
  readonly isSaved: boolean
}

function sendPage(pages: BuyerPages, request: FastifyRequest, reply: FastifyReply, shown: Shown) {
  const { session, isSaved, problems } = shown
  const locale = pages.reader.language(request, reply, session)
  const say = sayFor(pages.seller.identity, locale)
  const title = say('buyerTitle')
  const html = renderPage(pages, {
    ...{ locale, title, languagePath: pages.base + BUYER_PAGE, backUrl: pages.backUrl(session) },
    safeContent: (
      <>
        {isSaved ? <Saved say={say} locale={locale} buyer={shown.buyer} /> : null}
        <section class="middle card">
          <h1 safe>{title}</h1>
          <p class="soft" safe>
            {say('buyerText')}
          </p>
          {problems.length === 0 ? null : (
            <p class="over" role="alert" safe>
              {say('buyerWrong')}
            </p>
          )}
          {ownsAccount(session) ? (
            <BuyerForm {...{ pages, say, shown, locale }} />
          ) : (
            <Details say={say} buyer={shown.buyer} />
          )}
          <p class="actions">
            <LinkButton href={`${pages.base}/portal`} label={say('backToPortal')} />
          </p>
        </section>
      </>
    ),
  })
  return reply.headers(pages.headers).send(html)
}

/** Says what is missing: an invoice waits for it. */
function Saved({ say, locale, buyer }: { say: Say; locale: Locale; buyer: BuyerDetails | null }) {
  const lacks = lacksInWords(say, locale, buyer)
  const text = lacks === null ? say('buyerSavedText') : say('buyerSavedLacks', { fields: lacks })
  return <Notice tone={lacks === null ? '' : 'warn'} title={say('buyerSaved')} text={text} />
}

/** The details without a form, for persons who may not change them. */
function Details({ say, buyer }: { say: Say; buyer: BuyerDetails | null }) {
  if (buyer === null) return <p safe>{say('buyerNothing')}</p>
  return (
    <dl class="facts">
      {buyerInWords(say, buyer).map(([name, value]) => (
        <div>
          <dt safe>{name}</dt>
          <dd>
            <bdi safe>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface OfForm {
  readonly pages: BuyerPages
  readonly say: Say
  readonly locale: Locale
  readonly shown: Shown
}

function BuyerForm(of: OfForm) {
  const { pages, say, shown } = of
  const kind = shown.typed.kind ?? 'person'
  return (
    <OwnForm session={shown.session} action={pages.base + BUYER_PAGE}>
      <label>
        <span safe>{labelOf(say, 'kind')}</span>
        <select name="kind">
          {BUYER_KINDS.map((one) => (
            <option value={one} selected={one === kind} safe>
              {kindInWords(say, one)}
            </option>
          ))}
        </select>
      </label>
      {BUYER_FIELDS.map((field) => (field === 'kind' ? null : <TextField {...of} field={field} />))}
      <p class="small soft" safe>
        {say('buyerCompanyNeeds')}
      </p>
      <SubmitButton label={say('buyerSave')} />
    </OwnForm>
  )
}

/** The names by which browsers fill in fields. */
const AUTOCOMPLETE: Readonly<Partial<Record<BuyerField, string>>> = {
  name: 'organization',
  address: 'street-address',
  phone: 'tel',
  email: 'email',
}

const LEFT_TO_RIGHT: readonly BuyerField[] = ['nif', 'nis', 'phone', 'email']

function TextField({ say, locale, shown, field }: OfForm & { readonly field: Exclude<BuyerField, 'kind'> }) {
  const problem = shown.problems.find(({ pointer }) => pointer === `/${field}`)
  const wrong = problem && { 'aria-invalid': 'true' as const, 'aria-describedby': `wrong-${field}` }
  return (
    <label>
      <span safe>{labelOf(say, field)}</span>
      <input
        type="text"
        name={field}
        value={shown.typed[field] ?? ''}
        maxlength="500"
        autocomplete={AUTOCOMPLETE[field] ?? 'off'}
        dir={LEFT_TO_RIGHT.includes(field) ? 'ltr' : 'auto'}
        {...wrong}
      />
      {problem ? (
        <span class="over small" id={`wrong-${field}`} safe>
          {faultInWords(say, locale, problem)}
        </span>
      ) : null}
    </label>
  )
}
