// What the readings over all capabilities bring to the service.
import type { Capability } from '../acts/capability.js'
import { MINUTE } from '../core/instant.js'
import { mailOperators, type OperatorMailDeps } from './operator-mail.js'
import { OVERVIEW_READINGS, type OverviewReadDeps } from './readings.js'
import './words.js'

export const overview: Capability<OperatorMailDeps & OverviewReadDeps> = {
  name: 'overview',
  readings: OVERVIEW_READINGS,
  jobs: (deps) => [
    // Operators learn what entered their inbox: at most one mail in 15 minutes.
    {
      name: 'mail-operators',
      stage: 'announce',
      everyMs: MINUTE,
      run: () => mailOperators(deps),
      oncePerCluster: true,
    },
  ],
}
