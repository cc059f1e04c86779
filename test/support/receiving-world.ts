import type { DatabaseContext } from './databases.js'
import { Receiver } from './receiver.js'
import { restartableWorld } from './world.js'

/** Its options are also needed to restart it on the same address. */
export function receivingWorld({ database }: DatabaseContext, own: Record<string, string> = {}) {
  const receiver = new Receiver()
  // The port is known once it listens.
  const options = {
    get env() {
      return { ...receiver.variables, ...own }
    },
  }
  beforeAll(() => receiver.listen())
  const { world, restart } = restartableWorld(database, options)
  beforeEach(() => {
    receiver.received.length = 0
    receiver.heads.length = 0
    receiver.behave = () => 204
    receiver.headStatus = 204
  })
  afterAll(() => receiver.goDown())
  return { receiver, world, restart, options }
}
