// Requests that come when they come, as those of many users do, from a process of its own. A driver that
// waits for an answer before it sends the next request (driver.mjs) sends in waves, and how many of them
// meet and share a statement depends on what stands between it and the service. One message in: the shops,
// which are asked at the same time. One message out, when all have answered; a request that is not answered
// with 2xx fails the round, since refusals are quick.
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { sendBy } from './connections.mjs'
import { requestsOf } from './requests.mjs'

/** To each shop at most; a request that finds all of them busy waits. */
const CONNECTIONS = 64

process.send({})
process.on('message', async (shops) => {
  try {
    await Promise.all(shops.map(ask))
    process.send({})
  } catch (error) {
    process.send({ error: String(error.stack ?? error) })
  }
})

async function ask({ url, kind, perSecond, options }) {
  const requests = requestsOf(kind, options)
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const answers = []
  let dueAt = performance.now()
  for (let n = 0; n < options.count; n++) {
    const ahead = dueAt - performance.now()
    if (ahead > 0) await wait(ahead)
    answers.push(sendBy(agent, url, requests[n % requests.length], crypto.randomUUID()))
    // The gaps of a Poisson process.
    dueAt += (-Math.log(1 - Math.random()) * 1000) / perSecond
  }
  await Promise.all(answers)
  agent.destroy()
}
