// The card of a transfer in the portal: what to send and where, the form for the slip, and the steps until
// the money counts.
import type { PropsWithChildren } from '@kitajs/html'
import { ChooseElse, Ordered } from '../checkout/portal-payments.js'
import type { Account } from '../core/account.js'
import type { Instant } from '../core/instant.js'
import type { ShownPayment } from '../core/payment.js'
import { mayOrder } from '../core/person.js'
import { isPaidNow } from '../core/quote.js'
import { formatReference } from '../core/reference.js'
import { Card, OwnForm, SubmitButton, Words } from '../pages/parts.js'
import type { PartSection } from '../pages/portal-kinds.js'
import { ACCOUNT_KINDS, accountInWords } from './account-words.js'
import { PROOFS_MAX } from './decide-transfer.js'
import type { Proof } from './proof.sql.js'
import { PROOF_TYPES } from './proof-file.js'
import { qrOf } from './qr.js'

export interface PortalTransfer {
  readonly payment: ShownPayment
  readonly proofs: readonly Proof[]
  /** `late`: expired; its money still counts if it comes, so its slip is still taken. `booked`: just now. */
  readonly stage: 'open' | 'late' | 'booked'
  readonly accounts: readonly Account[]
  readonly usualDelayMs: number | null
}

type OfTransfer = PartSection & { readonly transfer: PortalTransfer }

/** A reader who may not order sees everything but the forms. */
export function TransferSection(section: OfTransfer) {
  const { view, say, transfer } = section
  const { payment, proofs, stage } = transfer
  const isSent = proofs.length > 0
  const canOrder = mayOrder(view.session)
  const head = (
    <>
      {isSent && stage !== 'booked' ? <Received {...section} /> : null}
      <Ordered {...section} payment={payment} />
    </>
  )
  if (stage === 'late')
    // No accounts are shown, because nothing is to be sent for an expired transfer any more.
    return (
      <Card id="late-transfer" title={say('transferTitle')}>
        {head}
        {isSent || !canOrder ? null : <p safe>{say('transferLateText')}</p>}
        <AmountAndReference {...section} />
        {isSent ? <AnotherProof {...section} /> : <ProofForm {...section} />}
      </Card>
    )
  const steps = <Steps {...section} />
  const toDo = <ToDo {...section} />
  return (
    <Card id="transfer" title={say('transferTitle')}>
      {head}
      {stage === 'booked' ? (
        steps
      ) : isSent ? (
        <>
          {steps}
          <Fold title={say('showAccounts')}>{toDo}</Fold>
          <AnotherProof {...section} />
        </>
      ) : (
        <>
          {toDo}
          <Fold title={say('whatFollows')}>{steps}</Fold>
          {canOrder ? <ChooseElse {...section} /> : null}
        </>
      )}
    </Card>
  )
}

function Fold({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <details>
      <summary safe>{title}</summary>
      {children}
    </details>
  )
}

/** Stands at the top, where the browser scrolls to after the upload. */
function Received({ view, say }: OfTransfer) {
  return (
    <div role="status" class="notice" id="received">
      <p safe>{say('proofReceived')}</p>
      {isPaidNow(view.overview.subscription) ? <p safe>{say('slipInTime')}</p> : null}
    </div>
  )
}

function ToDo(section: OfTransfer) {
  const { pages, view, say, transfer } = section
  const { payment, proofs, accounts } = transfer
  const end = pages.formats.moment(payment.expiresAt, view.locale)
  const canOrder = mayOrder(view.session)
  const kinds = [...new Set(accounts.map(({ kind }) => kind))]
  const hasOneKind = kinds.length < 2
  return (
    <ol class="to-do by-kind">
      {hasOneKind ? null : (
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
        <StepTitle place={hasOneKind ? 1 : 2}>
          {say(canOrder ? 'sendUntil' : 'transferReadText', { end })}
        </StepTitle>
        <AmountAndReference {...section} />
        {accounts.map((account) => (
          <div class={hasOneKind ? 'account' : `account of-kind ${account.kind}`}>
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
          <StepTitle place={hasOneKind ? 2 : 3}>{say('sendSlip')}</StepTitle>
          <ProofForm {...section} />
        </li>
      )}
    </ol>
  )
}

function StepTitle(of: PropsWithChildren<{ id?: string; place: number; children: string }>) {
  return (
    <h3 id={of.id}>
      <span class="badge none">{of.place}</span> <Words>{of.children}</Words>
    </h3>
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
  const reference = formatReference(payment.checkoutId ?? '')
  // A phone shows this text for copying. No app of the market is known to fill its form from a code.
  const inPlainText = [`RIP ${account.rip ?? account.number}`, `${payment.price.amount} DA`, reference]
  return (
    <>
      <h4 safe>{title}</h4>
      <dl class="facts copied">
        {lines.map(([label, value]) => (
          <Copied label={label} value={value} />
        ))}
      </dl>
      <figure class="scanned">
        {qrOf(inPlainText.join('\n'), say('qrName'))}
        <figcaption class="soft small" safe>
          {say('qrText')}
        </figcaption>
      </figure>
    </>
  )
}

/** One touch selects it whole (`user-select: all`), and the phone offers to copy it. */
function Copied({ label, value }: { readonly label: string; readonly value: string }) {
  // A RIP, RIB or IBAN stands in fours for the eye; what is copied has nothing between them.
  const groups = /^[A-Z0-9]{20,}$/.test(value) ? (value.match(/.{1,4}/g) ?? []) : [value]
  return (
    <div>
      <dt safe>{label}</dt>
      <dd>
        <code class="copy" dir="auto">
          {groups.map((group) => (
            <span safe>{group}</span>
          ))}
        </code>
      </dd>
    </div>
  )
}

/** Asked for, slip received, checked, active: each with when it was, and what is next. */
function Steps({ pages, view, say, transfer }: OfTransfer) {
  const { payment, proofs, usualDelayMs, stage } = transfer
  const { moment, timeLeft } = pages.formats
  const at = (instant: Instant) => moment(instant, view.locale)
  const [slip] = proofs
  const isBooked = stage === 'booked'
  const next = mayOrder(view.session) && !isBooked ? say('stepSlipNext') : null
  const usual =
    usualDelayMs === null ? null : say('usualDelay', { time: timeLeft(usualDelayMs, view.locale) })
  const end = payment.periodEnd
  const steps = [
    ['stepAsked', at(payment.createdAt)],
    ['stepSlip', slip ? at(slip.uploadedAt) : next],
    ['stepChecked', isBooked && payment.paidAt !== null ? at(payment.paidAt) : usual],
    [
      payment.kind === 'top_up' ? 'stepOnBalance' : 'stepActive',
      isBooked && end !== null ? say('untilDay', { end: at(end) }) : null,
    ],
  ] as const
  const done = isBooked ? steps.length : slip ? 2 : 1
  return (
    <ol class="steps">
      {steps.map(([title, words], place) => (
        <li class={place < done ? 'done' : undefined} aria-current={place === done ? 'step' : undefined}>
          <b safe>{say(title)}</b>
          {words === null ? null : (
            <span class="soft small">
              <Words>{words}</Words>
            </span>
          )}
        </li>
      ))}
    </ol>
  )
}

/** One proof is enough, so the form for another one is folded. */
function AnotherProof(section: OfTransfer) {
  if (section.transfer.proofs.length >= PROOFS_MAX || !mayOrder(section.view.session)) return null
  return (
    <Fold title={section.say('proofAnother')}>
      <ProofForm {...section} />
    </Fold>
  )
}

function ProofForm({ pages, view, say, transfer }: OfTransfer) {
  if (!mayOrder(view.session)) return null
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
