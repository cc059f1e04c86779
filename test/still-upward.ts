// Imports that still run against the order of folders; the list only gets shorter, and goes with its last line.
export const STILL_UPWARD: readonly string[] = [
  'books/month.route.ts -> overview/reads.route.ts',
  'codes/operator-codes.route.ts -> overview/operations.ts',
  'compare/cli-reconcile.ts -> overview/operations.ts',
]
