// A transfer in the portal: how to ask for one, what to send and where, and the form for its slip.
import { ChooseElse, Ordered } from '../checkout/portal-open.js'
import type { Account } from '../core/account.js'
import type { Instant } from '../core/instant.js'
import type { Locale } from '../core/locale.js'
import { publicStatusAt, type ShownPayment } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { isPaidNow } from '../core/quote.js'
import { formatReference } from '../core/reference.js'
import type { Say } from '../i18n/messages.js'
import { hrefIn, OwnForm } from '../pages/own-form.js'
import { Card, SubmitButton } from '../pages/portal-frame.js'
import type { PartSection } from '../pages/portal-kinds.js'
import { Words } from '../pages/words.js'
import { ACCOUNT_KINDS, accountInWords } from './account-words.js'
import { PROOF_TYPES, PROOFS_MAX, type Proof } from './decide-transfer.js'
import { qrOf } from './qr.js'

export interface PortalTransfer {
  readonly payment: ShownPayment
  readonly proofs: readonly Proof[]
  /** `late`: expired; its money still counts if it comes, so its slip is still taken. `booked`: just now. */
  readonly stage: 'open' | 'late' | 'booked'
  /** How long the seller usually takes to check a slip; null: nothing is said. */
  readonly usualDelayMs: number | null
}

export interface RefusedTransfer {
  readonly reference: string
  readonly reason: string
}

/** To which kinds of account. */
export function transferLabel(accounts: readonly Account[]) {
  const kinds = new Set(accounts.map(({ kind }) => kind))
  return (say: Say, locale: Locale): string => {
    const named = new Intl.ListFormat(locale, { type: 'disjunction' })
    const list = [...kinds].map((kind) => say(kind === 'bank' ? 'bankAccount' : ACCOUNT_KINDS[kind]))
    return say('transferTo', { accounts: named.format(list) })
  }
}

export function TransferSection({
  accounts,
  ...section
}: OfTransfer & { readonly accounts: readonly Account[] }) {
  const { pages, view, say, transfer } = section
  if (transfer.stage === 'late') return <LateTransfer {...section} />
  const { payment, proofs } = transfer
  const end = pages.formats.moment(payment.expiresAt, view.locale)
  const canOrder = mayOrder(view.session)
  const toSend = (
    <>
      <p>
        <Words>{say(canOrder ? 'transferText' : 'transferReadText', { end })}</Words>
      </p>
      <AmountAndReference {...section} />
      <Accounts {...section} accounts={accounts} />
      <p class="touch" safe>
        {say('transferTouch')}
      </p>
      {canOrder ? <p safe>{say('noReferenceField')}</p> : null}
    </>
  )
  return (
    <Card id="transfer" title={say('transferTitle')}>
      <Received {...section} />
      <Ordered {...section} payment={payment} />
      <Steps {...section} />
      {transfer.stage === 'booked' ? null : proofs.length === 0 ? (
        toSend
      ) : (
        <details>
          <summary safe>{say('showAccounts')}</summary>
          {toSend}
        </details>
      )}
      {transfer.stage === 'booked' ? null : <Proofs {...section} />}
      {transfer.stage === 'booked' || proofs.length > 0 || !canOrder ? null : <ChooseElse {...section} />}
    </Card>
  )
}

/** Asked for, slip received, checked, active: each with when it was, and what is next. */
function Steps({ pages, view, say, transfer }: OfTransfer) {
  const { payment, proofs, usualDelayMs, stage } = transfer
  const moment = (instant: Instant) => pages.formats.moment(instant, view.locale)
  const [slip] = proofs
  const isBooked = stage === 'booked'
  const usual =
    usualDelayMs === null
      ? null
      : say('usualDelay', { time: pages.formats.timeLeft(usualDelayMs, view.locale) })
  const end = payment.periodEnd
  const slipNext = mayOrder(view.session) ? say('stepSlipNext') : null
  const steps = [
    { title: 'stepAsked', at: moment(payment.createdAt) },
    { title: 'stepSlip', at: slip ? moment(slip.uploadedAt) : isBooked ? null : slipNext },
    { title: 'stepChecked', at: isBooked && payment.paidAt !== null ? moment(payment.paidAt) : usual },
    {
      title: payment.kind === 'top_up' ? 'stepOnBalance' : 'stepActive',
      at: isBooked && end !== null ? say('untilDay', { end: moment(end) }) : null,
    },
  ] as const
  const done = isBooked ? steps.length : slip ? 2 : 1
  return (
    <ol class="steps">
      {steps.map(({ title, at }, place) => (
        <li class={place < done ? 'done' : undefined} aria-current={place === done ? 'step' : undefined}>
          <b safe>{say(title)}</b>
          {at === null ? null : (
            <span class="soft small">
              <Words>{at}</Words>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Without the accounts: nothing is to be sent for it any more. */
function LateTransfer(section: OfTransfer) {
  const { say } = section
  return (
    <Card id="late-transfer" title={say('transferTitle')}>
      <Received {...section} />
      <Ordered {...section} payment={section.transfer.payment} />
      {section.transfer.proofs.length > 0 || !mayOrder(section.view.session) ? null : (
        <p safe>{say('transferLateText')}</p>
      )}
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

/** One at a time: the user says from where they pay. All of them where the page is printed. */
function Accounts({ accounts, ...section }: OfTransfer & { readonly accounts: readonly Account[] }) {
  const ofKind = (kind: Account['kind']) =>
    accounts
      .filter((account) => account.kind === kind)
      .map((account) => <AccountFacts {...section} account={account} />)
  const kinds = [...new Set(accounts.map(({ kind }) => kind))]
  const [only, another] = kinds
  if (only !== undefined && !another) return <>{ofKind(only)}</>
  const { say } = section
  return (
    <div class="by-kind" role="radiogroup" aria-labelledby="pay-from">
      <p id="pay-from" safe>
        {say('payFrom')}
      </p>
      {kinds.map((kind, place) => (
        <label class="kind">
          <input type="radio" name="kind" value={kind} checked={place === 0} />
          <span safe>{say(ACCOUNT_KINDS[kind])}</span>
        </label>
      ))}
      {kinds.map((kind) => (
        <div class={`of-kind ${kind}`}>{ofKind(kind)}</div>
      ))}
    </div>
  )
}

function AccountFacts({ say, transfer: { payment }, account }: OfTransfer & { readonly account: Account }) {
  const { title, lines } = accountInWords(account, say)
  return (
    <div class="account">
      <h3 safe>{title}</h3>
      <dl class="facts copied">
        {lines.map(([label, value]) => (
          <Copied label={label} value={value} />
        ))}
      </dl>
      <figure>
        {qrOf(transferInPlainText(account, payment), say('qrName'))}
        <figcaption class="soft small" safe>
          {say('qrText')}
        </figcaption>
      </figure>
    </div>
  )
}

/** What a phone reads, to be copied there: no app of the market is known to fill its form from a code. */
function transferInPlainText({ rip, number }: Account, { price, checkoutId }: ShownPayment): string {
  return [`RIP ${rip ?? number}`, `${price.amount} DA`, formatReference(checkoutId ?? '')].join('\n')
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

type OfTransfer = PartSection & { readonly transfer: PortalTransfer }

/** On top, where the page is after the upload. */
function Received({ view, say, transfer }: OfTransfer) {
  if (transfer.proofs.length === 0 || transfer.stage === 'booked') return null
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
  if (proofs.length >= PROOFS_MAX || !mayOrder(section.view.session)) return null
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
export function RefusedNotice({ say, refused }: PartSection & { readonly refused: RefusedTransfer }) {
  // A line does not end in it: these hyphens are not for breaking.
  const reference = formatReference(refused.reference).replaceAll('-', '\u2011')
  return (
    <section class="notice warn">
      <h2 safe>{say('mail_payment_refused_subject', { reference })}</h2>
      <p safe>{say('refusedBecause', { reason: refused.reason })}</p>
      <p>
        <Words>{say('mail_payment_refused_next')}</Words>
      </p>
    </section>
  )
}

/** In the history: leads to the form for the slip of one that has expired. */
export function LateTransferLink({ pages, view, say }: PartSection, payment: ShownPayment) {
  const { checkoutId, id } = payment
  if (!mayOrder(view.session)) return null
  if (checkoutId === null || publicStatusAt(payment, view.history.now) !== 'expired') return null
  return (
    <a href={hrefIn(view.session, `${pages.base}/portal?transfer=${id}#late-transfer`)} safe>
      {say('transferSent')}
    </a>
  )
}
