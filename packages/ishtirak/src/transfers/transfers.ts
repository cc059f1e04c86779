// Transfers: money that a user sends without a page of a provider, and that counts once operators have seen it on an account.
import type { Capability } from '../acts/capability.js'
import { transferPages } from './portal-part.js'
import type { TransferPagesDeps } from './transfer.route.js'

export const transfers: Capability<TransferPagesDeps> = { name: 'transfers', portal: transferPages }
