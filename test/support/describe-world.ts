// Promises on one world: it is started before each test and stopped after it.
import { type DatabaseContext, describeOnEach, describeScenario } from './databases.js'
import { restartableWorld } from './world.js'

type WorldOptions = Parameters<typeof restartableWorld>[1]

type WorldContext = DatabaseContext & ReturnType<typeof restartableWorld>

/** Describes promises on a world with the embedded database, unless the run says otherwise. */
export const describeWorld = describeOn(describeScenario)

/** Describes promises on a world with each kind of database of the run. */
export const describeWorldOnEach = describeOn(describeOnEach)

function describeOn(describeDatabase: typeof describeScenario) {
  return (name: string, options: WorldOptions, body: (context: WorldContext) => void) =>
    describeDatabase(name, (context) => body({ ...context, ...restartableWorld(context.database, options) }))
}
