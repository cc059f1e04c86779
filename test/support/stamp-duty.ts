import type { StampDutyTerm } from '../../packages/ishtirak/src/core/stamp-duty.js'

/** 1 dinar for each hundred, from 5 to 10,000. */
export const FLAT: StampDutyTerm = {
  ...{ from: '2023-01-01', exemptUpTo: 0, wholeHundreds: true, minimum: 5, maximum: 10_000 },
  brackets: [{ upTo: null, centimesPerHundred: 100 }],
}
/** Finance act for 2025, article 46. */
export const GRADED: StampDutyTerm = {
  ...{ from: '2025-01-01', exemptUpTo: 300, wholeHundreds: true, minimum: 5, maximum: null },
  brackets: [
    { upTo: 30_000, centimesPerHundred: 100 },
    { upTo: 100_000, centimesPerHundred: 150 },
    { upTo: null, centimesPerHundred: 200 },
  ],
}
