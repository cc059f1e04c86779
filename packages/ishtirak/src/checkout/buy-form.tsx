// The form that buys with a single button, and the reader of such forms.
import type { FastifyRequest } from 'fastify'
import { OwnForm } from '../pages/own-form.js'
import { SubmitButton } from '../pages/portal-frame.js'
import { fieldOf, type Session } from '../pages/reader.js'

/** The form for a term of a plan, with a token. The price always comes from the catalogue. */
export function BuyForm(of: {
  base: string
  session: Session
  planId: string
  months: number
  label: string
}) {
  return (
    <OwnForm session={of.session} action={`${of.base}/portal/upgrade`}>
      <input type="hidden" name="plan" value={of.planId} />
      <input type="hidden" name="months" value={String(of.months)} />
      <SubmitButton label={of.label} />
    </OwnForm>
  )
}

/** Only a form with `ahead` or a code buys ahead, so that pressing a usual one twice buys nothing more. */
export function wantedIn(request: FastifyRequest) {
  const [months, code, ahead, start] = ['months', 'code', 'ahead', 'start'].map((name) =>
    fieldOf(request, name),
  )
  return {
    planId: fieldOf(request, 'plan'),
    // A plan change needs an explicit field.
    start: start === 'now' ? ('now' as const) : ('end' as const),
    ...(months && { months: Number(months) }),
    ...(code && { code }),
    mode: code || ahead ? ('payment' as const) : ('upgrade' as const),
  }
}
