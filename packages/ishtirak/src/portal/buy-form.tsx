// The one form that costs money: a plan and the proof that the page is ours. It carries no price, because what the plan
// costs is the catalogue's word and nobody's who fills in forms.
import type { Session } from './reader.js'

export function BuyForm(of: { base: string; session: Session; planId: string; label: string }) {
  return (
    <form method="post" action={`${of.base}/portal/upgrade`}>
      <FormToken session={of.session} />
      <input type="hidden" name="plan" value={of.planId} />
      <button type="submit" class="go" safe>
        {of.label}
      </button>
    </form>
  )
}

export function FormToken({ session }: { session: Session }) {
  return <input type="hidden" name="form_token" value={session.formToken} />
}
