// The commands whose acts and readings are not one object yet.

import { type TObject, Type } from 'typebox'
import type { CommandAnswer, CommandOf } from '../acts/act.js'
import type { CommandGroups, Operation } from '../acts/commands.js'
import { csvLine } from '../books/csv.js'
import { comparisonFinished } from '../compare/cli-reconcile.js'
import { OPERATIONS } from './operations.js'

interface Described {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly schema: { readonly summary: string; readonly querystring?: TObject; readonly body?: TObject }
}

const COMMANDS: readonly (readonly [
  usage: string,
  operation: Described,
  show?: CommandOf['show'],
  more?: CommandOf & { readonly isFile?: true },
])[] = [
  ['payments record', OPERATIONS.recordPayment, undefined, { advise: adviseOnUser }],
  ['reconcile', OPERATIONS.startReconciliation, undefined, { follow: comparisonFinished }],
  ['findings close <checkout>', OPERATIONS.closeFinding],
  [
    'codes create',
    OPERATIONS.createCodes,
    undefined,
    { asFile: { flag: '--csv', description: 'the codes as CSV, for the printer', write: codesAsCsv } },
  ],
  ['codes list', OPERATIONS.listCodeBatches, ({ data }) => ({ batches: data })],
  ['codes show <batch>', OPERATIONS.getCodeBatch],
  ['codes revoke <batch>', OPERATIONS.revokeCodes],
  [
    'operators sessions',
    OPERATIONS.listOperatorSessions,
    ({ data, ...rest }) => ({ sessions: data, ...rest }),
  ],
  ['operators revoke <session>', OPERATIONS.revokeOperatorSession],
  ['months <month>', OPERATIONS.getMonth, flatMonth],
  ['journal <month>', OPERATIONS.getJournal, ({ data, ...rest }) => ({ receipts: data, ...rest })],
  ['export accounts', OPERATIONS.exportAccounts, undefined, { isFile: true }],
]

export const OTHER_COMMANDS: readonly Operation[] = COMMANDS.map(
  ([usage, { method, path, schema }, show, more]) => ({
    ...{ usage, method, path, summary: schema.summary },
    input: schema.body ?? schema.querystring ?? Type.Object({}),
    ...(show && { show }),
    ...more,
  }),
)

/** A line of the tables has what was paid and refunded; days without either are left out. */
function flatMonth({ by_method, by_day, ...month }: CommandAnswer): CommandAnswer {
  type Line = Readonly<Record<'paid' | 'refunded', CommandAnswer>> & CommandAnswer
  const lines = (list: unknown) =>
    (list as readonly Line[])
      .map(({ paid, refunded, ...named }) => ({
        ...named,
        ...paid,
        refunds: refunded.count,
        refunded: refunded.ttc,
      }))
      .filter(({ count, refunds }: CommandAnswer) => count !== 0 || refunds !== 0)
  return { ...month, by_method: lines(by_method), by_day: lines(by_day) }
}

function codesAsCsv({ batch_id: batchId, codes = [] }: CommandAnswer): string {
  const lines = (codes as readonly string[]).map((code) => csvLine([code, String(batchId)]))
  return [csvLine(['code', 'batch_id']), ...lines].join('')
}

export const COMMAND_GROUPS: CommandGroups = {
  payments: 'Look at payments, and act on one',
  users: 'Look at a user, grant days, end their access',
  findings: 'Close what a comparison found, with the reason',
  events: 'Look at what is sent to the platform, and whether it arrives',
  codes: 'Make codes for vouchers and discounts, and see what is used',
  operators: 'See who is signed in to the console, end a session, and read what operators did',
  export: 'Export for the accountant',
}

function adviseOnUser({ code, members }: { readonly code: string; readonly members: object }): string | null {
  if (code !== 'not_found' || !('user_id' in members)) return null
  return 'correct --user, or add --new-user where the service has not seen them yet'
}
