// What the readings over all capabilities bring to the service.
import type { Capability } from '../acts/capability.js'
import { MINUTE } from '../core/instant.js'
import { mailOperators, type OperatorMailDeps } from './operator-mail.js'
import { OVERVIEW_READINGS, type OverviewReadDeps } from './readings.js'
import './words.js'

export const overview: Capability<OperatorMailDeps & OverviewReadDeps> = {
  name: 'overview',
  sections: [
    { key: 'inbox', path: '/console', place: 1 },
    { key: 'health', path: '/console/health', place: 3 },
    { key: 'operators', path: '/console/operators', place: 4 },
  ],
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
