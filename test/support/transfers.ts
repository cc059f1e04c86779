import { png } from './proof-files.js'
import { tokenOf, type World } from './world.js'

const PAYMENTS = '/api/v1/billing/payments'

export async function orderTransfer(world: World, userId: string) {
  const { status, body, text } = await world.as(userId).post(PAYMENTS, { plan: 'pro', method: 'transfer' })
  if (status !== 201) throw new Error(`a transfer was refused: ${text}`)
  return body
}

/** The members that a bank statement names, with their types. */
export async function orderToPay(world: World, userId: string) {
  const { id, amount, transfer } = await orderTransfer(world, userId)
  return { id: String(id), reference: String(transfer.reference), amount: Number(amount) }
}

export async function sendProof(world: World, userId: string, paymentId: string, body = png()) {
  const headers = { authorization: `Bearer ${await tokenOf({ sub: userId })}`, 'content-type': 'image/png' }
  return world.call('PUT', `${PAYMENTS}/${paymentId}/proof`, { body, headers })
}

export async function sendBankStatement(world: World, key: string, file: string | Uint8Array, query = '') {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'text/csv', 'accept-language': 'en' }
  return world.call('POST', `/api/v1/operator/bank-statements?account=ccp${query}`, { headers, body: file })
}
