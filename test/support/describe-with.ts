// If the program is missing, one test fails and names the package.
import { requireTool, type SystemTool } from './system-tools.js'

export function describeWith(tool: SystemTool, name: string, body: () => void): void {
  try {
    requireTool(tool)
  } catch (error) {
    return void describe(name, () => {
      it(`needs ${tool}`, () => {
        throw error
      })
    })
  }
  describe(name, body)
}
