// Personal data as a capability: a person is exported, and erased. A document loses its buyer by itself when
// the books need not keep it any longer.
import type { Capability } from '../acts/capability.js'
import { DAY } from '../core/instant.js'
import { keptSince } from '../core/receipt.js'
import type { CommonParts } from '../ledger/parts.js'
import { type ErasePersonDeps, eraseAct } from './erase.js'
import { removeOldBuyers } from './erase.sql.js'
import { type ExportDeps, exportPart, exportUser } from './export.js'

type PrivacyDeps = ErasePersonDeps & ExportDeps & Pick<CommonParts, 'clock' | 'wallClock'>

export const privacy: Capability<PrivacyDeps> = {
  name: 'privacy',
  acts: [eraseAct],
  readings: [exportUser],
  userParts: () => [exportPart],
  jobs: ({ database, clock, wallClock }) => [
    {
      name: 'remove-old-buyers',
      stage: 'tidy',
      everyMs: DAY,
      run: async (goesOn) => {
        const since = keptSince(wallClock.dayAt(clock.now()))
        let removed = 0
        while (goesOn()) {
          const count = await removeOldBuyers(database, since)
          if (count === 0) break
          removed += count
        }
        return removed
      },
      oncePerCluster: true,
    },
  ],
}
