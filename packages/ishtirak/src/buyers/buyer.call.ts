// The buyer's details for invoices: everyone of the account reads them, its owner writes them.
import { userCall } from '../acts/user-call.js'
import type { UserIdentity } from '../http/auth.js'
import { findUser } from '../ledger/users.sql.js'
import {
  type BuyerRequest,
  BuyerRequestSchema,
  BuyerSchema,
  type BuyerView,
  viewBuyer,
} from './buyer-schemas.js'
import { type BuyerDeps, setBuyer as saveBuyer } from './set-buyer.js'

export interface BuyerCalls {
  /** The buyer's details, and the fields that are missing for an invoice. */
  buyer(userId: string): Promise<BuyerView>
  /** Replaces all details; for an owner. Throws `validation_failed` with each wrong field. */
  setBuyer(user: UserIdentity, details: BuyerRequest): Promise<BuyerView>
}

const buyer = userCall<BuyerDeps>()({
  name: 'buyer',
  operationId: 'getBuyer',
  summary: 'Get the buyer’s details',
  description: 'The buyer’s details for invoices, and those that are missing.',
  method: 'GET',
  path: '/buyer',
  answer: BuyerSchema,
  run: async (deps, { user }) => viewBuyer((await findUser(deps.database, user.userId))?.buyer ?? null),
})

const setBuyer = userCall<BuyerDeps>()({
  name: 'setBuyer',
  operationId: 'setBuyer',
  summary: 'Set the buyer’s details',
  description:
    'In place of what was given before: what is absent is null. 403 for anyone but an owner. What is ' +
    'typed is kept; spaces, dots and hyphens in numbers are no fault. Documents that were issued stay.',
  method: 'PUT',
  path: '/buyer',
  input: BuyerRequestSchema,
  answer: BuyerSchema,
  refuses: ['malformed_json', 'forbidden', 'validation_failed'],
  run: async (deps, { user, input }) => viewBuyer(await saveBuyer(deps, user, input)),
})

export const buyerCalls = [buyer, setBuyer]
