// The form that buys: the one that is a single button, and what is read of each.
import type { FastifyRequest } from 'fastify'
import { OwnForm } from '../pages/own-form.js'
import { SubmitButton } from '../pages/portal-frame.js'
import { fieldOf, type Session } from '../pages/reader.js'

/** A term of a plan, with the proof that the page is ours. The price is the catalogue's, never the form's. */
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

/** Only a form for it, or for a code, buys ahead: the usual ones, pressed again, buy nothing by accident. */
export function wantedIn(request: FastifyRequest) {
  const [months, code, ahead, start] = ['months', 'code', 'ahead', 'start'].map((name) =>
    fieldOf(request, name),
  )
  return {
    planId: fieldOf(request, 'plan'),
    // No form changes the plan that does not say so.
    start: start === 'now' ? ('now' as const) : ('end' as const),
    ...(months && { months: Number(months) }),
    ...(code && { code }),
    mode: code || ahead ? ('payment' as const) : ('upgrade' as const),
  }
}
