// Makes the load in a process of its own, by autocannon over requests that are made before the clock starts.
// It answers each message with one result. A request that is not answered with 2xx fails the round, because
// refusals are quick.
import autocannon from 'autocannon'
import { requestsOf } from './requests.mjs'

process.send({})
process.on('message', async (job) => {
  try {
    process.send(await drive(job))
  } catch (error) {
    process.send({ error: String(error.stack ?? error) })
  }
})

async function drive({ url, kind, connections, amount, seconds, options = {} }) {
  const requests = requestsOf(kind, { ...options, count: amount ?? options.count })
  let next = 0
  const share = Math.ceil(requests.length / connections)
  const cpuBefore = process.cpuUsage()
  const startedAt = performance.now()
  const instance = autocannon({
    url,
    connections,
    // `amount` is for requests that can be sent only once.
    ...(amount === undefined ? { duration: seconds } : { amount }),
    timeout: 30,
    idReplacement: kind === 'consume',
    setupClient: (client) => {
      const own = requests.slice(next, next + share)
      next += share
      client.setRequests(own.length > 0 ? own : requests.slice(0, 1))
    },
  })
  let lastAt = startedAt
  if (amount !== undefined) {
    instance.on('response', () => {
      lastAt = performance.now()
    })
  }
  const result = await instance
  const cpu = process.cpuUsage(cpuBefore)
  const tookSeconds = amount === undefined ? result.duration : (lastAt - startedAt) / 1000
  if (result.non2xx + result.errors + result.timeouts > 0)
    throw new Error(
      `${kind} at ${url}: ${result.non2xx} refused, ${result.errors} errors, ${result.timeouts} too late ` +
        JSON.stringify(result.statusCodeStats),
    )
  return {
    answered: result['2xx'],
    // An amount is measured until its last answer: autocannon's own duration ends up to a second later.
    perSecond: result['2xx'] / tookSeconds,
    p99: result.latency.p99,
    /** If it is near 1, the driver is the limit. */
    driverBusy: (cpu.user + cpu.system) / 1e6 / tookSeconds,
  }
}
