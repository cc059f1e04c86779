// Imports that still run against the order of folders; the list only gets shorter, and goes with its last line.
export const STILL_UPWARD: readonly string[] = [
  'overview/search.route.tsx -> console/payment-page.tsx',
  'pages/console-words.ts -> events/deliver-events.ts',
  'pages/console-words.ts -> ledger/settle.ts',
  'pages/console-words.ts -> overview/examine.ts',
]
