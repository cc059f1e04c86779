// What the use cases count. `main/metrics.ts` says under which name each figure is published.
export type Occurrence =
  | { readonly name: 'settlement'; readonly outcome: string }
  | {
      readonly name: 'provider_event'
      readonly result: 'accepted' | 'duplicate' | 'invalid_signature' | 'malformed'
    }
  | { readonly name: 'checkout_opened' }
  | { readonly name: 'mail'; readonly outcome: string }
  | {
      readonly name: 'event_delivery'
      readonly outcome: 'delivered' | 'failed' | 'endpoint_disabled'
    }
  /** The comparison with the provider found what only one side has. */
  | { readonly name: 'finding'; readonly kind: string; readonly outcome: string }

export type Count = (what: Occurrence) => void
