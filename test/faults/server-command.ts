// `npm run nightly -- fault:server [--sales 120]`
// Webhooks get 503 during an outage and nothing else; afterwards the same process books them.
import type { Emulator } from '../../packages/chargily-emulator/src/emulator.js'
import { createDatabase, withDatabaseName } from '../support/admin.js'
import { launchService } from '../support/process.js'
import { waitFor } from '../support/wait-for.js'
import { audit } from './audit.js'
import { faultCommand, print, seconds, withEmulator } from './command.js'
import { install, readServer } from './installations.js'
import { PostgresNode } from './postgres-node.js'
import { openSales } from './sales.js'
import { Traffic } from './traffic.js'

const OUTAGES: Readonly<Record<string, (server: PostgresNode) => Promise<void> | void>> = {
  restarted: (server) => server.stop(),
  'kill -9, recovered': (server) => server.kill(),
}

export async function run(args: readonly string[]): Promise<boolean> {
  const { sales } = faultCommand(
    'server',
    'Harms the database server in several ways while it is used, and counts what was lost',
    { sales: ['sales of each outage', 120, 1_000] },
  )
    .parse(args, { from: 'user' })
    .opts<{ sales: number }>()
  return withEmulator((emulator) => runOutages(emulator, sales))
}

async function runOutages(emulator: Emulator, sales: number): Promise<boolean> {
  const server = await PostgresNode.create()
  await createDatabase(server.url, 'faults')
  const url = withDatabaseName(server.url, 'faults')
  const installation = await install(emulator, { url })
  const service = launchService(installation.env)
  const serviceUrl = await service.listening()
  const traffic = new Traffic([serviceUrl])
  try {
    let isSound = true
    for (const [name, harm] of Object.entries(OUTAGES)) {
      const userIds = Array.from({ length: sales }, (_, index) => `${name}-${index}`)
      const opened = await openSales({ serviceUrl, emulator, userIds })
      const times = await outage(server, traffic, opened, harm)
      const { faults, ...counts } = await readServer(url, (database) => audit(database, traffic.webhooks))
      print({ outage: name, ...times, ...counts }, faults)
      isSound &&= counts.lost === 0 && counts.doubled === 0 && faults.length === 0
    }
    const hasBug = service.lines.some((line) => line.includes('"a bug"'))
    const faults = [...traffic.unexpected, ...(hasBug ? ['the service logged a bug'] : [])]
    print({ 'events answered 200': traffic.webhooks.answered.size }, faults)
    return isSound && faults.length === 0
  } finally {
    await traffic.stop()
    await service.kill('SIGKILL')
    await installation.remove()
    await server.remove()
  }
}

async function outage(
  server: PostgresNode,
  traffic: Traffic,
  sales: Awaited<ReturnType<typeof openSales>>,
  harm: (server: PostgresNode) => Promise<void> | void,
) {
  const before = traffic.count(503)
  traffic.add(sales)
  // A third is booked before the outage, so that it can be lost; the rest arrives during it.
  await traffic.answered(sales, 1 / 3)
  const harmedAt = performance.now()
  await harm(server)
  // The outage has an effect before it ends.
  const refused = traffic.count(503)
  await waitFor(() => traffic.count(503) >= refused + 5)
  await server.start()
  const backAt = performance.now()
  const bookedAt = await traffic.firstBookedAfter(backAt)
  await traffic.answered(sales)
  return {
    'refused with 503': traffic.count(503) - before,
    'first harm to booked': seconds(bookedAt - harmedAt),
    'database back to booked': seconds(bookedAt - backAt),
    'slowest answer': seconds(traffic.webhooks.slowestMs),
  }
}
