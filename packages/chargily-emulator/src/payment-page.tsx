// The payment page: a form that works without JavaScript, or a message when there is nothing left to pay.
// What the merchant or the payer wrote goes through `safe`.
import { pageOf } from './layout.js'
import type { CheckoutRecord, Locale } from './records.js'
import { amountText, TEXTS } from './texts.js'

export function paymentPage(checkout: CheckoutRecord, merchant: string, locale: Locale): string {
  const texts = TEXTS[locale]
  return pageOf(
    locale,
    <>
      <h1 safe>{`${texts.payTo} ${merchant}`}</h1>
      <p class="amount">
        <bdi safe>{amountText(checkout.amount + checkout.fees_on_customer, locale)}</bdi>
      </p>
      <Sums checkout={checkout} locale={locale} />
      {checkout.description === null ? null : (
        <p class="note">
          <bdi safe>{checkout.description}</bdi>
        </p>
      )}
      {checkout.status === 'pending' ? (
        <CardForm checkout={checkout} locale={locale} />
      ) : (
        <p class={`state ${checkout.status}`} role="status" safe>
          {texts.states[checkout.status]}
        </p>
      )}
    </>,
  )
}

/** Used if there is no checkout: the address is unknown or the form is invalid. */
export function messagePage(locale: Locale, which: 'noSuchPage' | 'badForm'): string {
  const texts = TEXTS[locale]
  return pageOf(
    locale,
    <>
      <h1 safe>{texts.title}</h1>
      <p class="state" role="alert" safe>
        {texts[which]}
      </p>
    </>,
  )
}

interface Shown {
  readonly checkout: CheckoutRecord
  readonly locale: Locale
}

function Sums({ checkout, locale }: Shown) {
  const texts = TEXTS[locale]
  const { amount_without_discount: before, fees_on_customer: fees } = checkout
  return (
    <>
      {before === null ? null : (
        <p class="note">
          <span safe>{texts.discountedFrom}</span> <bdi safe>{amountText(before, locale)}</bdi>
        </p>
      )}
      {fees === 0 ? null : (
        <p class="note">
          <span safe>{texts.fees}</span> <bdi safe>{amountText(fees, locale)}</bdi>
        </p>
      )}
    </>
  )
}

function CardForm({ checkout, locale }: Shown) {
  const texts = TEXTS[locale]
  const isCib = checkout.payment_method === 'cib'
  return (
    <form method="post">
      <fieldset>
        <legend safe>{texts.chooseCard}</legend>
        <Card value="edahabia" name={texts.edahabia} checked={!isCib} />
        <Card value="cib" name={texts.cib} checked={isCib} />
      </fieldset>
      <fieldset>
        <legend safe>{texts.chooseOutcome}</legend>
        <button type="submit" class="pay" name="outcome" value="paid" safe>
          {`${texts.pay} ${amountText(checkout.amount + checkout.fees_on_customer, locale)}`}
        </button>
        <button type="submit" name="outcome" value="failed" safe>
          {texts.fail}
        </button>
        <button type="submit" name="outcome" value="canceled" safe>
          {texts.cancel}
        </button>
      </fieldset>
    </form>
  )
}

function Card({ value, name, checked }: { value: string; name: string; checked: boolean }) {
  return (
    <label class="card">
      <input type="radio" name="payment_method" value={value} checked={checked} />
      <span safe>{name}</span>
    </label>
  )
}
