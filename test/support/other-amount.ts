import type { World } from './world.js'

/** The payment is under review: the provider says `charged` when it is asked, and `told` in its event. */
export async function payOtherwise(
  world: World,
  userId: string,
  {
    charged,
    told = charged,
    wanted = { plan: 'pro' },
    path = '/api/v1/billing/payments',
  }: {
    readonly charged: number
    readonly told?: number
    readonly wanted?: object
    readonly path?: string
  },
): Promise<string> {
  const before = new Set(world.emulator.checkouts().map(({ id }) => id))
  world.emulator.setFaults({
    false_checkout: { amount: charged, times: 1 },
    api_5xx: { scope: 'expire_checkout', times: 2 },
    wrong_amount: { amount: told, times: 1 },
  })
  const user = world.as(userId)
  await user.post(path, wanted)
  const made = world.emulator.checkouts().find(({ id }) => !before.has(id))
  if (!made) throw new Error('no checkout was made')
  await world.emulator.pay(made.id, 'paid')
  await world.emulator.settled()
  const { body } = await user.get('/api/v1/billing/payments')
  return body.data[0].id
}

/** Books that say another amount than was booked, which the database refuses to programs. */
export const booksChangedTo = (amount: number) => `
  alter table payments disable trigger payments_booked_amount_is_final;
  update payments set amount = ${amount};
  alter table payments enable trigger payments_booked_amount_is_final;`

export async function payUnderReview(world: World, userId: string): Promise<string> {
  world.emulator.setFaults({ wrong_amount: { times: 1 } })
  return (await world.as(userId).buy()).paymentId
}
