// The variables whose values only the seller has, with their sources, in the order of need.
const EXAMPLE = 'https://github.com/ishtirak/ishtirak/blob/main/docs/seller.example.json'

export const SELLERS_OWN: Readonly<Record<string, string>> = {
  CHARGILY_SECRET_KEY:
    'Chargily Pay gives it: dashboard, Developers Corner; first the key of the test mode (test_sk_…), ' +
    'for real money that of the live mode (live_sk_…)',
  SELLER_FILE:
    `needed with a live key. Fill in a copy of ${EXAMPLE} with RC, NIF, NIS and AI from the register and ` +
    'the tax office, and name its path',
  SMTP_URL: 'the mail provider gives it: smtps://user:password@host. Without it no receipt is sent by mail',
}
