// What calls and changes may cost, where the machine and its load make no difference. Above its number a cost
// fails: find what it is spent on, or raise the number here with the reason. More than 10 % below it fails as
// well: lower the number, so that the gain is kept. The numbers of calls are measured by `npm run bench --
// calls`, which prints them in this form, and of changes and of the disk by `npx vitest run --project
// nightly test/costs`, which says what it found. Calls are measured while the jobs of the service rest: by
// the clock it allocates some 50 kB a second, so that each call on a slow machine had more of it.
// One way to read all rows, without a shape of its own for each place, is 1 to 12 % of a call.

/** Of a caller who is alone: how many callers at once share a statement is chance. */
export interface CallCosts {
  readonly statements: number
  readonly roundTrips: number
  /**
   * Bytes of heap, in a process that has answered some thousand calls and whose jobs rest. The least of the
   * looks differs between runs by 1 % at most, on a busy machine too; the number is as much above it.
   */
  readonly allocated: number
  /**
   * Bytes that survive two collections of the young generation, so that the old one is collected later. Runs
   * differ by 5 %; where a call leaves next to nothing, by some 30 bytes.
   */
  readonly promoted: number
}

type Call = 'status' | 'ordered' | 'consume' | 'upgrade' | 'webhook' | 'history' | 'portal'

export const CALLS: Readonly<Record<Call, CallCosts>> = {
  /** One select. 200 bytes are the column of the buyer's details. Promoted: 70 at first, then 96 to 100. */
  status: { statements: 1, roundTrips: 1, allocated: 29_200, promoted: 50 },
  /** The same of a user whose balance renews: it is computed from the row that is read anyhow. */
  ordered: { statements: 1, roundTrips: 1, allocated: 29_650, promoted: 50 },
  /**
   * The count, with the deadline ahead of it on the same trip. V8 compiles it in one of two ways, which a run
   * keeps: they differ by 300 bytes, and by up to 150 more on a busy machine. 400 are the call as one
   * object, 600 the timer of its answer, 1,100 the promises by which a key is checked as a token is.
   */
  consume: { statements: 2, roundTrips: 1, allocated: 34_600, promoted: 50 },
  /**
   * What it needs, the request with its deadline before the provider is asked, then whose checkout it is, and
   * the payment with its page, by a change with its deadline. The call of the provider is most of the heap.
   * Each user that is read has the column of the balance, each payment its kind: 1 kB. Fewer
   * special paths in the ground took 3 kB, a few hundred bytes each.
   */
  upgrade: { statements: 6, roundTrips: 4, allocated: 163_500, promoted: 2_800 },
  /**
   * Whose checkout it is; the booking with its deadline. Receipt, event and mail are drawn up for it. Each
   * payment that is read and written has the column of what it changes, each user that of the balance: 2 kB;
   * the number of the buyer's order 0.1 kB. What is decided passes `changeUser` as a revision, which lives
   * until the change that is drawn up from it is saved: 2.5 kB, of which 1.1 kB are promoted.
   */
  webhook: { statements: 3, roundTrips: 2, allocated: 88_100, promoted: 2_010 },
  /**
   * One select of 10 payments, each row an object with 20 members that is checked and written. The person who
   * ordered takes 3.5 kB of it.
   */
  history: { statements: 1, roundTrips: 1, allocated: 121_900, promoted: 95 },
  /**
   * The first page of a user who has paid ten times: session, user with usage, the list of time, payments.
   * Half of the heap is the page; 20 kB let a period break at its spaces, 18 kB are a component of each span.
   * Promoted: 6,330 of the builds since then. Others that allocated the same left 5,450 to 7,300, by what was
   * alive at the collection.
   */
  portal: { statements: 4, roundTrips: 4, allocated: 393_400, promoted: 6_650 },
}

export interface ChangeCosts {
  /** Pages of the shared buffers, hit or read, by all parts of the statement. */
  readonly buffers: number
  /** Rows that are written. */
  readonly rows: number
  /** Without images of whole pages, which depend on when the last checkpoint was. */
  readonly walBytes: number
}

/** Measured with 2,000 other users and 12,000 payments. */
export const CHANGES: Readonly<Record<'booking' | 'consume', ChangeCosts>> = {
  /**
   * The user, the payment, the provider's event, the receipt and its series, with their indexes. Of the pages
   * 4 say whether the month is closed; of the log 370 bytes are what the receipt of a sale shows, and 100 the
   * index by which the platform finds users that changed.
   */
  booking: { buffers: 86, rows: 5, walBytes: 4_700 },
  /** The count in place where its page has room, and the operation with its two indexes. */
  consume: { buffers: 19, rows: 2, walBytes: 390 },
}

/**
 * Bytes of a paid month on disk, by table with its indexes: of 500 users who paid 10 months, vacuumed after
 * each. User ids have 24 characters, those of payments and events the 30 of the service, those of checkouts
 * the 26 of Chargily.
 */
export const DISK = {
  /**
   * The plan as it was sold (210), what the report has beside it, and seven indexes that each payment is in.
   */
  payments: 1_480,
  /** Nearly all of it the document as it was issued, with the seller in three languages. */
  documents: 850,
  /** The provider's reports are kept for ever. */
  provider_events: 350,
  /** Two events, kept for 90 days. The second has the data of both, as they were. */
  outbox: 1_115,
  /** Kept for 90 days; 10 bytes of it find what is due by its kind. */
  mails: 302,
} as const
