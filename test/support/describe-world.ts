// Promises on one world: it is started before each test and stopped after it.
import { afterEach, beforeEach } from 'vitest'
import { type DatabaseContext, describeOnEach, describeScenario } from './databases.js'
import { createWorld, type World } from './world.js'

type WorldOptions = Parameters<typeof createWorld>[1]

interface WorldContext extends DatabaseContext {
  /** The world of the running test. */
  readonly world: World
  /** Stops the world and starts another one on its database. */
  readonly restart: (options: WorldOptions) => Promise<void>
}

/** Describes promises on a world with the embedded database, unless the run says otherwise. */
export const describeWorld = describeOn(describeScenario)

/** Describes promises on a world with each kind of database of the run. */
export const describeWorldOnEach = describeOn(describeOnEach)

function describeOn(describeDatabase: typeof describeScenario) {
  return (name: string, options: WorldOptions, body: (context: WorldContext) => void) =>
    describeDatabase(name, (context) => {
      let running: World | undefined
      const start = async (wanted: WorldOptions) => {
        running = await createWorld(context.database(), wanted)
      }
      beforeEach(() => start(options))
      afterEach(() => running?.stop())
      const world = new Proxy({} as World, {
        get: (_, member) => {
          if (running === undefined) throw new Error('the world exists inside tests and hooks only')
          return Reflect.get(running, member)
        },
      })
      const restart = async (wanted: WorldOptions) => {
        await running?.stop()
        await start(wanted)
      }
      body({ ...context, world, restart })
    })
}
