// The texts of each folder, so that the compiler checks every key. `i18n/words.ts` reads the files
// themselves.
declare module '../i18n/words.js' {
  interface Texts {
    readonly access: typeof import('../access/words.en.json')
    readonly backup: typeof import('../backup/words.en.json')
    readonly balance: typeof import('../balance/words.en.json')
    readonly 'bank-statements': typeof import('../bank-statements/words.en.json')
    readonly books: typeof import('../books/words.en.json')
    readonly bulk: typeof import('../bulk/words.en.json')
    readonly buyers: typeof import('../buyers/words.en.json')
    readonly checkout: typeof import('../checkout/words.en.json')
    readonly codes: typeof import('../codes/words.en.json')
    readonly console: typeof import('../console/words.en.json')
    readonly desk: typeof import('../desk/words.en.json')
    readonly documents: typeof import('../documents/words.en.json')
    readonly events: typeof import('../events/words.en.json')
    readonly grants: typeof import('../grants/words.en.json')
    readonly ledger: typeof import('../ledger/words.en.json')
    readonly limits: typeof import('../limits/words.en.json')
    readonly mail: typeof import('../mail/words.en.json')
    readonly overview: typeof import('../overview/words.en.json')
    readonly portal: typeof import('../portal/words.en.json')
    readonly privacy: typeof import('../privacy/words.en.json')
    readonly proformas: typeof import('../proformas/words.en.json')
    readonly reconciliation: typeof import('../reconciliation/words.en.json')
    readonly seals: typeof import('../seals/words.en.json')
    readonly transfers: typeof import('../transfers/words.en.json')
  }
}

export {}
