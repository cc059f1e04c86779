// The comparison with the provider as operators ask for it: started, gone on with round by round, and listed.
import { act, actTexts } from '../acts/act.js'
import { readInstant } from '../acts/day.js'
import { reading } from '../acts/reading.js'
import { onNothing } from '../acts/subject.js'
import { DAY } from '../core/instant.js'
import { comparisonFinished } from './cli-reconcile.js'
import { continueReconciliation, type ReconcileActDeps, startReconciliation } from './reconcile.js'
import { listComparisons } from './reconcile.sql.js'
import {
  ReconcileRequestSchema,
  ReconciliationParamsSchema,
  ReconciliationSchema,
  ReconciliationsSchema,
} from './reconcile-schemas.js'
import { compareWords } from './words.js'

/** What the form of the console offers. */
const COMPARED_DAYS = 30

export const startComparing = act<ReconcileActDeps>().does({
  name: 'reconciliation.start',
  roles: [],
  on: onNothing('reconciliations', '/reconciliations', 'reconcile', '/console/health'),
  operationId: 'startReconciliation',
  summary: 'Compare the provider’s list with our books, and say what only one side has',
  description:
    'Answers after the first round. While `finished_at` is null, continue it from `next_round_at` on, ' +
    'or let the service do so.',
  input: ReconcileRequestSchema,
  refuses: ['unknown_method'],
  answer: ReconciliationSchema,
  texts: actTexts(compareWords, 'compare'),
  command: { usage: 'reconcile', follow: comparisonFinished },
  run: (deps, { input: { since, unknown, gateway }, by }) => {
    const sinceAt = readInstant(deps.wallClock, 'since', since)
    return startReconciliation(deps, { sinceAt, booksUnknown: unknown === 'book', gateway }, by)
  },
  preview: async ({ wallClock }, { input: { since } }) => {
    readInstant(wallClock, 'since', since)
    return {
      version: 0,
      changes: [{ what: 'comparison', before: 'asItIs', after: 'underWay' }],
      detail: null,
    }
  },
  // Sent again, it is answered with how far it is.
  show: async (deps, _call, begun, earlier) =>
    earlier ? continueReconciliation(deps, String(earlier.after.comparison_id)) : begun,
  form: {
    fields: async ({ formats, clock }, { say }) => {
      const value = formats.isoDay(clock.now() - COMPARED_DAYS * DAY)
      return [{ name: 'since', label: say('comparedSince'), value, type: 'date' }]
    },
  },
})

export const continueComparing = reading<ReconcileActDeps>().reads({
  method: 'POST',
  name: startComparing.name,
  roles: [],
  path: '/reconciliations/:reconciliation_id/continue',
  operationId: 'continueReconciliation',
  summary: 'One more round of a comparison, if it is time for one',
  params: ReconciliationParamsSchema,
  answer: ReconciliationSchema,
  command: null,
  read: (deps, { params }) => continueReconciliation(deps, params.reconciliation_id),
})

const SHOWN = { comparisons: 10, findings: 100 }

export const listReconciliations = reading<ReconcileActDeps>().reads({
  path: '/reconciliations',
  operationId: 'listReconciliations',
  summary: 'The last comparisons with the provider, and what was found last',
  answer: ReconciliationsSchema,
  command: null,
  read: async ({ database }) => {
    const { comparisons, findings } = await listComparisons(database, null, SHOWN)
    return { data: comparisons, findings }
  },
})
