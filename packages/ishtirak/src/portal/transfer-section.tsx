// A transfer in the portal: how to ask for one, what to send and where, and the form for a picture or PDF of it.
import type { Account } from '../core/account.js'
import { formatReference } from '../core/reference.js'
import { PROOF_TYPES, PROOFS_MAX } from '../core/transfer.js'
import type { MessageKey } from '../i18n/messages.js'
import { Card, FormToken, type Pages, SubmitButton } from './frame.js'
import type { PortalTransfer, PortalView, Section } from './portal-view.js'

/** By which users send money themselves; undefined: the seller takes no transfers. */
export function transferMethod({ methods }: Pick<Pages, 'methods'>) {
  return methods.all.find(({ accounts }) => accounts.length > 0)
}

/** What a form says beside the button for a card: the same purchase, sent elsewhere. */
export function TransferButton({ pages, view, say, months }: Section & { readonly months?: number }) {
  if (!transferMethod(pages) || view.transfer) return null
  const value = months === undefined ? {} : { name: 'months', value: String(months) }
  return (
    <button type="submit" formaction={`${pages.base}/portal/transfer`} {...value} safe>
      {say('payByTransfer')}
    </button>
  )
}

export function TransferSection(section: Section) {
  const { pages, view, say } = section
  const { transfer } = view
  const method = transferMethod(pages)
  if (!transfer || !method) return null
  const { payment } = transfer
  const end = pages.formats.moment(payment.expiresAt, view.locale)
  return (
    <Card id="transfer" title={say('transferTitle')}>
      <p safe>{say('transferText', { end })}</p>
      <dl class="facts copied">
        <Copied label={`${say('amount')} (${say('currency')})`} value={String(payment.price.amount)} />
        <Copied label={say('transferReference')} value={formatReference(payment.checkoutId ?? '')} />
      </dl>
      {method.accounts.map((account) => (
        <AccountFacts {...section} account={account} />
      ))}
      <ProofForm {...section} transfer={transfer} />
    </Card>
  )
}

const KINDS: Readonly<Record<Account['kind'], MessageKey>> = {
  ccp: 'transferCcp',
  baridimob: 'transferBaridimob',
  bank: 'transferBank',
}

function AccountFacts({ say, account }: Section & { readonly account: Account }) {
  const { kind, holder, number, key, rip, bank, iban } = account
  const numbers = { ccp: say('accountNumber'), baridimob: 'RIP', bank: 'RIB' }
  const lines = [
    [say('accountHolder'), holder],
    [numbers[kind], number],
    [say('accountKey'), key],
    ['RIP', rip],
    ['IBAN', iban],
  ] as const
  return (
    <div>
      <h3 safe>{bank === null ? say(KINDS[kind]) : `${say(KINDS[kind])} · ${bank}`}</h3>
      <dl class="facts copied">
        {lines.map(([label, value]) => (value === null ? null : <Copied label={label} value={value} />))}
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
        <code class="copy" dir="auto" safe>
          {value}
        </code>
      </dd>
    </div>
  )
}

function ProofForm({ pages, view, say, transfer }: Section & { readonly transfer: PortalTransfer }) {
  const { payment, proofs } = transfer
  return (
    <>
      {proofs.length === 0 ? null : (
        <p role="status" safe>
          {say('proofReceived')}
        </p>
      )}
      {proofs.length >= PROOFS_MAX ? null : (
        <form
          method="post"
          enctype="multipart/form-data"
          action={`${pages.base}/portal/payments/${payment.id}/proof`}
        >
          <FormToken session={view.session} />
          <label>
            <span safe>{say('proofLabel')}</span>
            <input type="file" name="file" accept={PROOF_TYPES.join()} required />
          </label>
          <SubmitButton label={say('proofButton')} />
        </form>
      )}
    </>
  )
}

/** Of the newest payments: one that is waited for. */
export function openTransferIn(pages: Pages, { history }: Pick<PortalView, 'history'>) {
  const name = transferMethod(pages)?.name
  return history.payments.find(
    ({ method, status, expiresAt }) => method === name && status === 'pending' && expiresAt > history.now,
  )
}
