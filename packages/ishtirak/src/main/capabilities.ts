// All capabilities, in the order of the folders. Without its line one is gone: no route, command, page, job or text of it is left.
import type { Capability } from '../acts/capability.js'
import { ledger } from '../ledger/ledger.js'
import type { Parts } from './wire.js'

export const CAPABILITIES: readonly Capability<Parts>[] = [ledger]
