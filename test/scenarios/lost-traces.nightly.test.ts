// Traces whose collector takes none: the service waits for it in the machine's time.
import { drainDeliveries } from '../../packages/ishtirak/src/events/deliver-events.js'
import { startTracing } from '../../packages/ishtirak/src/main/trace-export.js'
import { createLog } from '../../packages/ishtirak/src/runtime/log.js'
import { startCollector } from '../support/collector.js'
import { describeScenario } from '../support/databases.js'
import { freePort } from '../support/free-port.js'
import { Receiver } from '../support/receiver.js'
import { startRunningTime } from '../support/running-time.js'
import { createWorld } from '../support/world.js'

describeScenario('traces', ({ database }) => {
  it.each(['refuses', 'is silent'])(
    'a collector that %s breaks and slows nothing, and the log says so',
    async (kind) => {
      await using silent = await startCollector('silent')
      const receiver = await Receiver.start()
      onTestFinished(() => receiver.goDown())
      const lines: string[] = []
      const log = createLog({
        level: 'warn',
        destination: { write: (line: string) => void lines.push(line) },
      })
      const url = kind === 'is silent' ? silent.url : `http://127.0.0.1:${await freePort()}`
      const env = receiver.variables
      const world = await createWorld(database(), { env, log, tracing: startTracing(url, log) })
      const user = world.as('user-1')
      await user.buy()
      await world.advance(0)
      await drainDeliveries(world.service.parts)
      expect(receiver.story).toHaveLength(2)
      expect((await user.get('/api/v1/billing/status')).body.plan).toBe('pro')
      using time = startRunningTime()
      await world.stop()
      expect(time.ms()).toBeLessThan(5_000)
      expect(lines.join('')).toContain('traces are lost')
    },
  )
})
