// Where the provider sends the payer back to. It says what we know, never what the redirect claims: paid, still being
// confirmed (and asks again by itself), or not paid. One inline style, no script, no other origin.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Billing } from '../../billing/billing.js'
import { toTimestamp } from '../../domain/instant.js'
import type { Locale, Translated } from '../../domain/locale.js'
import { type Payment, publicStatusAt } from '../../domain/payment.js'
import type { App } from '../app.js'
import { preferredLocale } from '../language.js'

export interface ReturnRoutesParts {
  readonly billing: Billing
  readonly platformUrl: string
  readonly admitStranger: (request: FastifyRequest, reply: FastifyReply) => void
}

type Outcome = 'paid' | 'confirming' | 'not_paid'

/** Slow enough for a phone, quick enough for somebody who has just paid. */
const ASK_AGAIN_SECONDS = 3

export function returnRoutes({ billing, platformUrl, admitStranger }: ReturnRoutesParts) {
  return async (app: App): Promise<void> => {
    app.get<{ Params: { payment_id: string } }>(
      '/billing/return/:payment_id',
      { schema: { hide: true } },
      async (request, reply) => {
        admitStranger(request, reply)
        const { payment, now } = await billing.returnedPayment(request.params.payment_id)
        const outcome = outcomeOf(publicStatusAt(payment, now))
        const locale = preferredLocale(request.headers['accept-language'], 'ar')
        if (outcome === 'confirming') reply.header('refresh', String(ASK_AGAIN_SECONDS))
        return reply
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
          .header('cache-control', 'no-store')
          .header('referrer-policy', 'no-referrer')
          .type('text/html; charset=utf-8')
          .send(`<!doctype html>${page({ payment, outcome, locale, platformUrl })}`)
      },
    )
  }
}

function outcomeOf(status: ReturnType<typeof publicStatusAt>): Outcome {
  if (status === 'paid') return 'paid'
  return status === 'pending' || status === 'review' ? 'confirming' : 'not_paid'
}

function page(of: { payment: Payment; outcome: Outcome; locale: Locale; platformUrl: string }): string {
  const { payment, outcome, locale, platformUrl } = of
  return (
    <html lang={locale} dir={locale === 'ar' ? 'rtl' : 'ltr'}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title safe>{TITLES[outcome][locale]}</title>
        <style>{STYLE}</style>
      </head>
      <body>
        <main>
          <h1 safe>{TITLES[outcome][locale]}</h1>
          <p safe>{TEXTS[outcome][locale]}</p>
          <p>
            <span safe>{ORDER[locale]}</span> <code safe>{payment.id}</code>
          </p>
          {payment.periodEnd === null ? (
            ''
          ) : (
            <p safe>{`${UNTIL[locale]} ${toTimestamp(payment.periodEnd)}`}</p>
          )}
          {outcome === 'not_paid' ? <p safe>{SATIM[locale]}</p> : ''}
          <p>
            <a href={platformUrl} safe>
              {BACK[locale]}
            </a>
          </p>
        </main>
      </body>
    </html>
  ) as string
}

const STYLE =
  'body{font:1.1rem/1.6 system-ui,sans-serif;margin:0;color:#14251d;background:#f4f7f5}main{max-width:34rem;margin:10vh auto;padding:1.5rem;background:#fff;border-radius:.75rem}a{display:inline-block;padding:.5rem 0;color:#0b5f3c}'

const TITLES: Readonly<Record<Outcome, Translated>> = {
  paid: { ar: 'تم الدفع', fr: 'Paiement reçu', en: 'Paid' },
  confirming: { ar: 'جارٍ تأكيد الدفع', fr: 'Confirmation en cours', en: 'Confirming your payment' },
  not_paid: { ar: 'لم يتم الدفع', fr: 'Paiement non effectué', en: 'Not paid' },
}
const TEXTS: Readonly<Record<Outcome, Translated>> = {
  paid: {
    ar: 'وصلنا دفعك، وخطتك مفعّلة الآن.',
    fr: 'Votre paiement est reçu, votre formule est active.',
    en: 'Your payment has arrived and your plan is active.',
  },
  confirming: {
    ar: 'ننتظر تأكيد البنك. تُحدَّث هذه الصفحة تلقائيًا.',
    fr: 'Nous attendons la confirmation de la banque. Cette page se met à jour toute seule.',
    en: 'We are waiting for the bank. This page refreshes itself.',
  },
  not_paid: {
    ar: 'لم يُخصم أي مبلغ لهذا الطلب. يمكنك المحاولة من جديد.',
    fr: 'Rien n’a été encaissé pour cette commande. Vous pouvez réessayer.',
    en: 'Nothing was taken for this order. You can try again.',
  },
}
const ORDER: Translated = { ar: 'رقم الطلب:', fr: 'Commande :', en: 'Order:' }
const UNTIL: Translated = { ar: 'مدفوع إلى غاية', fr: 'Payé jusqu’au', en: 'Paid until' }
const BACK: Translated = { ar: 'العودة إلى المنصة', fr: 'Retour à la plateforme', en: 'Back to the platform' }
const SATIM: Translated = {
  ar: 'إذا واجهتك مشكلة في الدفع، اتصل بالرقم الأخضر لساتيم 3020.',
  fr: 'En cas de problème de paiement, veuillez contacter le numéro vert de la SATIM 3020.',
  en: 'If you have a problem with your payment, call the toll-free number of SATIM: 3020.',
}
