// A transfer in the portal: how to ask for one, what to send and where, and the form for a picture or PDF of it.
import type { Account } from '../core/account.js'
import type { ShownPayment } from '../core/payment.js'
import { isPaidNow } from '../core/quote.js'
import { formatReference } from '../core/reference.js'
import { PROOF_TYPES, PROOFS_MAX } from '../core/transfer.js'
import type { MessageKey } from '../i18n/messages.js'
import { hrefIn, OwnForm } from '../pages/own-form.js'
import { Card, type PageParts, SubmitButton } from '../pages/portal-frame.js'
import { Words } from '../pages/words.js'
import { ChooseElse, Ordered } from '../portal/portal-notices.js'
import type { PortalTransfer, PortalView, Section } from '../portal/portal-view.js'
import { ACCOUNT_KINDS, accountInWords } from './account-words.js'

/** By which users send money themselves; undefined: the seller takes no transfers. */
export function transferMethod({ methods }: Pick<PageParts, 'methods'>) {
  return methods.all.find(({ accounts }) => accounts.length > 0)
}

export function takesTransfers(pages: PageParts): boolean {
  return transferMethod(pages) !== undefined
}

/** Below what can be bought: how it is paid, and to which kinds of account. `byCard`: what is said where there is no choice. */
export function HowToPay({ pages, view, say, byCard }: Section & { readonly byCard: MessageKey }) {
  const kinds = new Set(transferMethod(pages)?.accounts.map(({ kind }) => kind))
  const named = new Intl.ListFormat(view.locale, { type: 'disjunction' })
  const accounts = named.format(
    [...kinds].map((kind) => say(kind === 'bank' ? 'bankAccount' : ACCOUNT_KINDS[kind])),
  )
  return (
    <p class="soft small" safe>
      {kinds.size === 0 ? say(byCard) : say('paidByHandOrTransfer', { accounts })}
    </p>
  )
}

/** Its name for a screen reader says what it buys, after the word that stands on it. `to`: where it sends the form instead. */
export function PayButton(of: {
  readonly say: Section['say']
  readonly months: number
  readonly what: string
  readonly label: string
  readonly go?: boolean
  readonly to?: string
}) {
  const { say, months, what, label, go, to } = of
  return (
    <button
      type="submit"
      class={go ? 'go' : undefined}
      formaction={to}
      name="months"
      value={String(months)}
      aria-label={say('labelled', { label, value: what })}
      safe
    >
      {label}
    </button>
  )
}

/** What a form says beside the button for a card: the same purchase, sent elsewhere. */
export function TransferButton(
  of: Pick<Section, 'pages' | 'say'> & {
    readonly view?: PortalView
    readonly months: number
    readonly what: string
  },
) {
  const { pages, view, say, months, what } = of
  const isOpen = view?.transfer?.isLate === false && !view.isChoosing
  if (!transferMethod(pages) || isOpen) return null
  const to = `${pages.base}/portal/transfer`
  return <PayButton {...{ say, months, what, to }} label={say('transfer')} />
}

export function TransferSection(section: Section) {
  const { pages, view, say } = section
  const { transfer } = view
  const method = transferMethod(pages)
  if (!transfer || !method) return null
  if (transfer.isLate) return <LateTransfer {...section} transfer={transfer} />
  const { payment } = transfer
  const end = pages.formats.moment(payment.expiresAt, view.locale)
  const toSend = (
    <>
      <p>
        <Words>{say('transferText', { end })}</Words>
      </p>
      <p class="touch" safe>
        {say('transferTouch')}
      </p>
      <AmountAndReference {...section} transfer={transfer} />
      {method.accounts.map((account) => (
        <AccountFacts {...section} account={account} />
      ))}
    </>
  )
  return (
    <Card id="transfer" title={say('transferTitle')}>
      <Received {...section} transfer={transfer} />
      <Ordered {...section} payment={payment} />
      {transfer.proofs.length === 0 ? (
        toSend
      ) : (
        <details>
          <summary safe>{say('showAccounts')}</summary>
          {toSend}
        </details>
      )}
      <Proofs {...section} transfer={transfer} />
      {transfer.proofs.length > 0 ? null : <ChooseElse {...section} />}
    </Card>
  )
}

/** Without the accounts: nothing is to be sent for it any more. */
function LateTransfer(section: OfTransfer) {
  const { say } = section
  return (
    <Card id="late-transfer" title={say('transferTitle')}>
      <Received {...section} />
      <Ordered {...section} payment={section.transfer.payment} />
      {section.transfer.proofs.length > 0 ? null : <p safe>{say('transferLateText')}</p>}
      <AmountAndReference {...section} />
      <Proofs {...section} />
    </Card>
  )
}

function AmountAndReference({ say, transfer: { payment } }: OfTransfer) {
  return (
    <dl class="facts copied">
      <Copied label={`${say('amount')} (${say('currency')})`} value={String(payment.price.amount)} />
      <Copied label={say('transferReference')} value={formatReference(payment.checkoutId ?? '')} />
    </dl>
  )
}

function AccountFacts({ say, account }: Section & { readonly account: Account }) {
  const { title, lines } = accountInWords(account, say)
  return (
    <div>
      <h3 safe>{title}</h3>
      <dl class="facts copied">
        {lines.map(([label, value]) => (
          <Copied label={label} value={value} />
        ))}
      </dl>
    </div>
  )
}

/** One touch selects it whole (`user-select: all`), and the phone offers to copy it. */
function Copied({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <dt safe>{label}</dt>
      <dd>
        <code class="copy" dir="auto">
          {groupsOf(value).map((group) => (
            <span safe>{group}</span>
          ))}
        </code>
      </dd>
    </div>
  )
}

/** A RIP, RIB or IBAN in fours for the eye; what is copied has nothing between them. */
function groupsOf(value: string): readonly string[] {
  return /^[A-Z0-9]{20,}$/.test(value) ? (value.match(/.{1,4}/g) ?? []) : [value]
}

type OfTransfer = Section & { readonly transfer: PortalTransfer }

/** On top, where the page is after the upload. */
function Received({ view, say, transfer }: OfTransfer) {
  if (transfer.proofs.length === 0) return null
  const { subscription } = view.overview
  return (
    <div role="status" class="notice" id="received">
      <p safe>{say('proofReceived')}</p>
      {isPaidNow(subscription) ? <p safe>{say('slipInTime')}</p> : null}
    </div>
  )
}

/** One is enough: further ones are asked for by the user. */
function Proofs(section: OfTransfer) {
  const { proofs } = section.transfer
  if (proofs.length >= PROOFS_MAX) return null
  if (proofs.length === 0) return <ProofForm {...section} />
  return (
    <details>
      <summary safe>{section.say('proofAnother')}</summary>
      <ProofForm {...section} />
    </details>
  )
}

function ProofForm({ pages, view, say, transfer }: OfTransfer) {
  return (
    <OwnForm
      session={view.session}
      enctype="multipart/form-data"
      action={`${pages.base}/portal/payments/${transfer.payment.id}/proof`}
    >
      <label>
        <span safe>{say('proofLabel')}</span>
        <input type="file" name="file" accept={PROOF_TYPES.join()} required />
      </label>
      <SubmitButton label={say('proofButton')} />
    </OwnForm>
  )
}

/** Why the last one was refused, until the user buys again. */
export function RefusedNotice({ view, say }: Section) {
  if (!view.refused) return null
  // A line does not end in it: these hyphens are not for breaking.
  const reference = formatReference(view.refused.reference).replaceAll('-', '\u2011')
  return (
    <section class="notice warn">
      <h2 safe>{say('mail_payment_refused_subject', { reference })}</h2>
      <p safe>{say('refusedBecause', { reason: view.refused.reason })}</p>
      <p safe>{say('mail_payment_refused_next')}</p>
    </section>
  )
}

/** In the history: leads to the form for the slip of one that has expired. */
export function LateTransferLink({ pages, view, say }: Section, { method, checkoutId, id }: ShownPayment) {
  if (checkoutId === null || method !== transferMethod(pages)?.name) return null
  return (
    <a href={hrefIn(view.session, `${pages.base}/portal?transfer=${id}#late-transfer`)} safe>
      {say('transferSent')}
    </a>
  )
}

/** Of the newest payments: one that is waited for. */
export function openTransferIn(pages: PageParts, { history }: Pick<PortalView, 'history'>) {
  const name = transferMethod(pages)?.name
  return history.payments.find(
    ({ method, status, expiresAt }) => method === name && status === 'pending' && expiresAt > history.now,
  )
}
