// One user as the platform API and the overview write him.

import { toTimestamp } from '../core/instant.js'
import type { Allowance } from '../core/limit.js'
import type { Renewal } from '../core/renewal.js'
import { orNull, viewPayment, viewStatus } from '../payments/views.js'
import type { Overview } from './overview.js'

export function viewPlatformUser(overview: Overview) {
  const { email, name, locale } = overview.profile
  return {
    user_id: overview.userId,
    ...viewStatus(overview.subscription),
    limits: overview.subscription.plan.limits,
    usage: overview.usage,
    resets_at: toTimestamp(overview.resetsAt),
    over_limit: overview.overLimits.map(({ limit, projectId, used, max }) => ({
      limit,
      ...(projectId === null ? {} : { project_id: projectId }),
      used,
      max,
    })),
    renewal: overview.renewal && viewRenewal(overview.renewal),
    email,
    name,
    locale,
  }
}

export function viewOverview(overview: Overview, publicUrl: string) {
  const { pendingPayment: pending, now } = overview
  return {
    ...viewPlatformUser(overview),
    pending_payment: pending && viewPayment(pending, now, publicUrl),
  }
}

export function viewAllowance({ allowed, limit, used, remaining, resetsAt, reason }: Allowance) {
  return { allowed, limit, used, remaining, resets_at: orNull(resetsAt), reason }
}

function viewRenewal(renewal: Renewal) {
  return {
    allowed: renewal.allowed,
    plan: renewal.plan.id,
    amount: renewal.plan.price,
    currency: renewal.plan.currency,
    would_start: toTimestamp(renewal.wouldStart),
    would_end: toTimestamp(renewal.wouldEnd),
    renewable_from: orNull(renewal.renewableFrom),
  }
}
