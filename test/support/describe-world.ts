import { type DatabaseContext, describeOnEach, describeScenario } from './databases.js'
import { restartableWorld } from './world.js'

type WorldOptions = Parameters<typeof restartableWorld>[1]

type WorldContext = DatabaseContext & ReturnType<typeof restartableWorld>

export const describeWorld = describeOn(describeScenario)

export const describeWorldOnEach = describeOn(describeOnEach)

function describeOn(describeDatabase: typeof describeScenario) {
  return (name: string, options: WorldOptions, body: (context: WorldContext) => void) =>
    describeDatabase(name, (context) => body({ ...context, ...restartableWorld(context.database, options) }))
}
