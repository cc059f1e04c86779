import { CHARGILY_KEY, type World } from './world.js'

/** A checkout that another program made with our key. Returns its id. */
export async function openCheckout(
  { emulator }: Pick<World, 'emulator'>,
  metadata?: object,
  amount = 2000,
): Promise<string> {
  const response = await fetch(`${emulator.url}/test/api/v2/checkouts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CHARGILY_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ amount, currency: 'dzd', success_url: 'https://a.example/', metadata }),
  })
  return (await response.json()).id
}

export async function payElsewhere(world: World, metadata: object, amount?: number): Promise<string> {
  const id = await openCheckout(world, metadata, amount)
  await world.emulator.pay(id, 'paid')
  return id
}
