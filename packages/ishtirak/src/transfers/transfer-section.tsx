// A transfer in the portal: how to ask for one, what to send and where, and the form for its slip.
import type { PropsWithChildren } from '@kitajs/html'
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

/** Names the kinds of account for transfers. */
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
  const { view, say, transfer } = section
  if (transfer.stage === 'late') return <LateTransfer {...section} />
  const { payment, proofs, stage } = transfer
  const isSent = stage === 'booked' || proofs.length > 0
  const canOrder = mayOrder(view.session)
  return (
    <Card id="transfer" title={say('transferTitle')}>
      <Received {...section} />
      <Ordered {...section} payment={payment} />
      {isSent ? <Steps {...section} /> : <ToDo {...section} accounts={accounts} />}
      {stage === 'booked' || proofs.length === 0 ? null : (
        <details>
          <summary safe>{say('showAccounts')}</summary>
          <ToDo {...section} accounts={accounts} />
        </details>
      )}
      {stage === 'booked' || proofs.length === 0 ? null : <Proofs {...section} />}
      {isSent ? null : (
        <details>
          <summary safe>{say('whatFollows')}</summary>
          <Steps {...section} />
        </details>
      )}
      {isSent || !canOrder ? null : <ChooseElse {...section} />}
    </Card>
  )
}

/** The three steps of the user: the account to pay from, what to send and where, then the slip. */
function ToDo({ accounts, ...section }: OfTransfer & { readonly accounts: readonly Account[] }) {
  const { pages, view, say, transfer } = section
  const { payment, proofs } = transfer
  const end = pages.formats.moment(payment.expiresAt, view.locale)
  const canOrder = mayOrder(view.session)
  const kinds = [...new Set(accounts.map(({ kind }) => kind))]
  return (
    <ol class="to-do by-kind">
      {kinds.length < 2 ? null : (
        <li>
          <div class="heading" role="radiogroup" aria-labelledby="pay-from">
            <StepTitle id="pay-from" place={1}>
              {say('payFrom')}
            </StepTitle>
            {kinds.map((kind, place) => (
              <label class="kind">
                <input type="radio" name="kind" value={kind} checked={place === 0} />
                <span safe>{say(ACCOUNT_KINDS[kind])}</span>
              </label>
            ))}
          </div>
        </li>
      )}
      <li>
        <StepTitle place={kinds.length < 2 ? 1 : 2}>
          {say(canOrder ? 'sendUntil' : 'transferReadText', { end })}
        </StepTitle>
        <AmountAndReference {...section} />
        {accounts.map((account) => (
          <div class={kinds.length < 2 ? 'account' : `account of-kind ${account.kind}`}>
            <AccountFacts {...section} account={account} />
          </div>
        ))}
        <p class="touch soft small" safe>
          {say('transferTouch')}
        </p>
        {canOrder ? (
          <p class="soft small" safe>
            {say('noReferenceField')}
          </p>
        ) : null}
      </li>
      {proofs.length > 0 || !canOrder ? null : (
        <li class="slip">
          <StepTitle place={kinds.length < 2 ? 2 : 3}>{say('sendSlip')}</StepTitle>
          <ProofForm {...section} />
        </li>
      )}
    </ol>
  )
}

function StepTitle({
  id,
  place,
  children,
}: PropsWithChildren<{ id?: string; place: number; children: string }>) {
  return (
    <h3 id={id}>
      <span class="badge none">{place}</span> <Words>{children}</Words>
    </h3>
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

/** Shows no accounts, because nothing is to be sent for an expired transfer any more. */
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

function AccountFacts({ say, transfer: { payment }, account }: OfTransfer & { readonly account: Account }) {
  const { title, lines } = accountInWords(account, say)
  return (
    <>
      <h4 safe>{title}</h4>
      <dl class="facts copied">
        {lines.map(([label, value]) => (
          <Copied label={label} value={value} />
        ))}
      </dl>
      <figure class="scanned">
        {qrOf(transferInPlainText(account, payment), say('qrName'))}
        <figcaption class="soft small" safe>
          {say('qrText')}
        </figcaption>
      </figure>
    </>
  )
}

/** A phone shows this text for copying. No app of the market is known to fill its form from a code. */
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

/** Stands at the top, where the browser scrolls to after the upload. */
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

/** One proof is enough, so the form for another one is folded. */
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

/** Says why the last transfer was refused, until the user buys again. */
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

/** The link in the history that leads to the form for the slip of an expired transfer. */
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
