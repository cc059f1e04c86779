// The texts of each folder, so that the compiler checks every key. `i18n/words.ts` reads the files themselves.
declare module '../i18n/words.js' {
  interface Texts {
    readonly access: (typeof import('../access/words.en.json'))['default']
    readonly backup: (typeof import('../backup/words.en.json'))['default']
    readonly balance: (typeof import('../balance/words.en.json'))['default']
    readonly 'bank-statements': (typeof import('../bank-statements/words.en.json'))['default']
    readonly books: (typeof import('../books/words.en.json'))['default']
    readonly bulk: (typeof import('../bulk/words.en.json'))['default']
    readonly buyers: (typeof import('../buyers/words.en.json'))['default']
    readonly checkout: (typeof import('../checkout/words.en.json'))['default']
    readonly codes: (typeof import('../codes/words.en.json'))['default']
    readonly console: (typeof import('../console/words.en.json'))['default']
    readonly desk: (typeof import('../desk/words.en.json'))['default']
    readonly documents: (typeof import('../documents/words.en.json'))['default']
    readonly events: (typeof import('../events/words.en.json'))['default']
    readonly grants: (typeof import('../grants/words.en.json'))['default']
    readonly ledger: (typeof import('../ledger/words.en.json'))['default']
    readonly limits: (typeof import('../limits/words.en.json'))['default']
    readonly mail: (typeof import('../mail/words.en.json'))['default']
    readonly overview: (typeof import('../overview/words.en.json'))['default']
    readonly portal: (typeof import('../portal/words.en.json'))['default']
    readonly privacy: (typeof import('../privacy/words.en.json'))['default']
    readonly proformas: (typeof import('../proformas/words.en.json'))['default']
    readonly reconciliation: (typeof import('../reconciliation/words.en.json'))['default']
    readonly seals: (typeof import('../seals/words.en.json'))['default']
    readonly transfers: (typeof import('../transfers/words.en.json'))['default']
  }
}

export {}
