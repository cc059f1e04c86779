// The commands whose acts and readings are not one object yet.

import { type TObject, Type } from 'typebox'
import type { CommandOf } from '../acts/act.js'
import type { CommandGroups, Operation } from '../acts/commands.js'
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
])[] = [['payments record', OPERATIONS.recordPayment, undefined, { advise: adviseOnUser }]]

export const OTHER_COMMANDS: readonly Operation[] = COMMANDS.map(
  ([usage, { method, path, schema }, show, more]) => ({
    ...{ usage, method, path, summary: schema.summary },
    input: schema.body ?? schema.querystring ?? Type.Object({}),
    ...(show && { show }),
    ...more,
  }),
)

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
