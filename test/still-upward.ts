// Imports that still run against the order of folders; the list only gets shorter, and goes with its last line.
export const STILL_UPWARD: readonly string[] = [
  'books/month.route.ts -> overview/reads.route.ts',
  'codes/operator-codes.route.ts -> overview/operations.ts',
  'compare/cli-reconcile.ts -> overview/operations.ts',
  'transfers/approvals.ts -> overview/acts.ts',
  'transfers/cli-proof.ts -> overview/operations.ts',
  'transfers/transfer-acts.tsx -> overview/acts.ts',
  'transfers/transfer-acts.tsx -> overview/all-pages.ts',
  'transfers/transfer-acts.tsx -> overview/payment-act.ts',
  'transfers/transfer-acts.tsx -> overview/inbox.ts',
]
