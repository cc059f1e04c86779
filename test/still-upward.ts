// Imports that still run against the order of folders; the list only gets shorter, and goes with its last line.
export const STILL_UPWARD: readonly string[] = [
  'overview/search.route.tsx -> console/payment-page.tsx',
  'pages/console-words.ts -> events/deliver-events.ts',
  'pages/console-words.ts -> ledger/settle.ts',
  'pages/console-words.ts -> overview/examine.ts',
  'transfers/approvals.ts -> overview/acts.ts',
  'transfers/cli-proof.ts -> overview/operations.ts',
  'transfers/transfer-acts.tsx -> overview/acts.ts',
  'transfers/transfer-acts.tsx -> overview/all-pages.ts',
  'transfers/transfer-acts.tsx -> overview/payment-act.ts',
  'transfers/transfer-acts.tsx -> overview/inbox.ts',
]
