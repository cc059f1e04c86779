// Where the payer is sent back to. Anyone can type such an address: it proves nothing, and the merchant must not
// take it for a confirmation.
import type { CheckoutRecord, Outcome } from './records.js'

/** Null when the merchant gave no address for this outcome. */
export function returnUrl(checkout: CheckoutRecord, outcome: Outcome): string | null {
  const target = outcome === 'paid' ? checkout.success_url : checkout.failure_url
  if (target === null) return null
  const url = new URL(target)
  // The merchant's own query stays as he wrote it, byte for byte, except for an id of another checkout.
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !/^checkout_id(=|$)/.test(pair))
  url.search = [...kept, `checkout_id=${checkout.id}`].join('&')
  return url.href
}
