// The payment page, as a string: one form that works without JavaScript, or a message when there is nothing left to
// pay. Everything the merchant or the payer wrote goes through `safe`. It decides nothing and redirects nobody.
import { PAGE_STYLE } from './page-style.js'
import { LANGUAGE_NAMES, PAGE_TEXTS, type PageTexts } from './page-texts.js'
import { type CheckoutRecord, LOCALES, type Locale } from './records.js'

export function paymentPage(checkout: CheckoutRecord, merchant: string, locale: Locale): string {
  const texts = PAGE_TEXTS[locale]
  return frame(
    locale,
    <>
      <h1 safe>{`${texts.payTo} ${merchant}`}</h1>
      <p class="amount">
        <bdi safe>{texts.amount(checkout.amount + checkout.fees_on_customer)}</bdi>
      </p>
      <Sums checkout={checkout} texts={texts} />
      {checkout.description === null ? null : (
        <p class="note">
          <bdi safe>{checkout.description}</bdi>
        </p>
      )}
      {checkout.status === 'pending' ? (
        <CardForm checkout={checkout} texts={texts} />
      ) : (
        <p class={`state ${checkout.status}`} role="status" safe>
          {texts.states[checkout.status]}
        </p>
      )}
    </>,
  )
}

/** For what has no checkout to show: an unknown address, an unreadable form. */
export function messagePage(locale: Locale, which: 'noSuchPage' | 'badForm'): string {
  const texts = PAGE_TEXTS[locale]
  return frame(
    locale,
    <>
      <h1 safe>{texts.title}</h1>
      <p class="state" role="alert" safe>
        {texts[which]}
      </p>
    </>,
  )
}

/** After a payment link, which has no page to go back to. */
export function thanksPage(checkout: CheckoutRecord, merchant: string, thanks: string): string {
  return paymentPage({ ...checkout, description: thanks }, merchant, checkout.locale)
}

/** The content comes from components, which have escaped it. */
export function frame(
  locale: Locale,
  safeContent: JSX.Element,
  look: { readonly title?: string; readonly isWide?: boolean } = {},
): string {
  const texts = PAGE_TEXTS[locale]
  const html = (
    <html lang={locale} dir={texts.direction}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title safe>{`${look.title ?? texts.title} · ${texts.sandbox}`}</title>
        <style>{PAGE_STYLE}</style>
      </head>
      <body>
        <header class="sandbox" safe>
          {`${texts.sandbox} · ${texts.notReal}`}
        </header>
        <main class={look.isWide ? 'wide' : ''}>{safeContent}</main>
        <Languages current={locale} label={texts.languages} />
      </body>
    </html>
  )
  return `<!doctype html>${html}`
}

function Languages({ current, label }: { current: Locale; label: string }) {
  return (
    <nav aria-label={label}>
      <ul>
        {LOCALES.map((locale) => (
          <li>
            <a
              href={`?lang=${locale}`}
              lang={locale}
              hreflang={locale}
              {...(locale === current && { 'aria-current': 'true' })}
              safe
            >
              {LANGUAGE_NAMES[locale]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Sums({ checkout, texts }: { checkout: CheckoutRecord; texts: PageTexts }) {
  const { amount_without_discount: before, fees_on_customer: fees } = checkout
  return (
    <>
      {before === null ? null : (
        <p class="note">
          <span safe>{texts.discountedFrom}</span> <bdi safe>{texts.amount(before)}</bdi>
        </p>
      )}
      {fees === 0 ? null : (
        <p class="note">
          <span safe>{texts.fees}</span> <bdi safe>{texts.amount(fees)}</bdi>
        </p>
      )}
    </>
  )
}

function CardForm({ checkout, texts }: { checkout: CheckoutRecord; texts: PageTexts }) {
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
          {`${texts.pay} ${texts.amount(checkout.amount + checkout.fees_on_customer)}`}
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
