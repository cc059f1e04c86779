// One request after the other, to each shop in turn, from a process of its own. Requests that meet share
// statements and cores, so that what one takes is up to what else is asked; by itself each takes all that it
// needs. One message in: {shops: [{url, kind, each, options}], turns, lanes}; a turn sends `each` to each
// shop. `lanes` of them go side by side, to warm up. One message out, when all have answered; a refusal fails
// it.
import { Agent } from 'node:http'
import { sendBy } from './connections.mjs'
import { requestsOf } from './requests.mjs'

process.send({})
process.on('message', async ({ shops, turns, lanes }) => {
  try {
    const asked = shops.map(({ url, kind, each, options }) => {
      const agent = new Agent({ keepAlive: true, maxSockets: lanes })
      return { url, each, requests: requestsOf(kind, options), agent, next: 0 }
    })
    let left = turns
    const lane = async () => {
      while (left-- > 0) for (const shop of asked) await ask(shop)
    }
    await Promise.all(Array.from({ length: lanes }, lane))
    for (const { agent } of asked) agent.destroy()
    process.send({})
  } catch (error) {
    process.send({ error: String(error.stack ?? error) })
  }
})

async function ask(shop) {
  const { url, each, requests, agent } = shop
  for (let n = 0; n < each; n++)
    await sendBy(agent, url, requests[shop.next++ % requests.length], crypto.randomUUID())
}
