// The portal page on which the owner of an account enters the buyer's details for invoices.
import { BUYER_FIELDS, type BuyerField } from '../core/buyer-details.js'
import { BillingError } from '../core/error.js'
import { ownsAccount } from '../core/person.js'
import type { App } from '../http/app.js'
import { Facts } from '../pages/console-parts.js'
import { Input } from '../pages/field.js'
import { Notice, OwnForm, P, SubmitButton } from '../pages/parts.js'
import { portalForm } from '../pages/portal-form.js'
import type { Pages } from '../pages/portal-frame.js'
import type { PartSection, PortalKinds } from '../pages/portal-kinds.js'
import { buyerFields, buyerInWords, lacksInWords } from './buyer-words.js'
import { type BuyerDeps, setBuyer } from './set-buyer.js'

const BUYER = 'buyer'

export const buyerPages: PortalKinds<BuyerDeps> = {
  routes: buyerForm,
  paths: [BUYER],
  read: async () => ({ pages: [{ path: BUYER, title: 'buyerTitle', render: BuyerPage }] }),
}

function buyerForm(app: App, pages: Pages & BuyerDeps): void {
  portalForm(app, pages, { path: `/portal/${BUYER}` }, async ({ request, reply, by, field }) => {
    const typed = Object.fromEntries(BUYER_FIELDS.map((name) => [name, field(name)]))
    try {
      await setBuyer(pages, by.user, typed)
    } catch (error) {
      if (!(error instanceof BillingError) || error.problems.length === 0) throw error
      return pages.showAgain(request, reply, BUYER, { typed, problems: error.problems })
    }
    return `/portal/${BUYER}?saved=yes`
  })
}

function BuyerPage(section: PartSection) {
  const { view, say } = section
  const { buyer } = view.overview
  return (
    <>
      {view.asked('saved') === null ? null : <Saved {...section} />}
      <section class="card" aria-label={say('buyerTitle')}>
        <P class="soft">{say('buyerText')}</P>
        {view.sent ? (
          <p class="over" role="alert" safe>
            {say('buyerWrong')}
          </p>
        ) : null}
        {ownsAccount(view.session) ? (
          <BuyerForm {...section} />
        ) : buyer ? (
          <Facts facts={buyerInWords(say, buyer)} />
        ) : (
          <p safe>{say('buyerNothing')}</p>
        )}
      </section>
    </>
  )
}

/** Says what is missing: an invoice waits for it. */
function Saved({ view, say }: PartSection) {
  const fields = lacksInWords(say, view.locale, view.overview.buyer)
  const text = fields === null ? say('buyerSavedText') : say('buyerSavedLacks', { fields })
  return <Notice tone={fields === null ? '' : 'warn'} title={say('buyerSaved')} text={text} />
}

/** The names by which browsers fill in fields. */
const AUTOCOMPLETE: Readonly<Partial<Record<BuyerField, string>>> = {
  name: 'organization',
  address: 'street-address',
  phone: 'tel',
  email: 'email',
}

function BuyerForm({ pages, view, say }: PartSection) {
  const { session, overview, locale, sent } = view
  // Most users are persons, and the platform has said who they are.
  const { name, email } = session
  const known = overview.buyer ?? { kind: 'person', name, email }
  return (
    <OwnForm session={session} action={`${pages.base}/portal/${BUYER}`}>
      {buyerFields(say, locale, known).map((field) => (
        <Input
          {...{ view, sent }}
          field={{ ...field, autocomplete: AUTOCOMPLETE[field.name] ?? 'off' }}
          isRequired={false}
        />
      ))}
      <P class="small soft">{say('buyerCompanyNeeds')}</P>
      <SubmitButton label={say('buyerSave')} />
    </OwnForm>
  )
}
