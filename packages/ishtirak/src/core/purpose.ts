// What a payment is for.

/** `purchase`: time. `change`: another plan for time that runs. `top_up`: money for the user's balance. */
export const PAYMENT_PURPOSES = ['purchase', 'change', 'top_up'] as const
export type PaymentPurpose = (typeof PAYMENT_PURPOSES)[number]
