// Personal data as a capability: a person is exported, and erased.
import type { Capability } from '../acts/capability.js'
import { type ErasePersonDeps, eraseAct } from './erase.js'
import { type ExportDeps, exportPage, exportPart, exportUser } from './export.js'

export const privacy: Capability<ErasePersonDeps & ExportDeps> = {
  name: 'privacy',
  acts: [eraseAct],
  readings: [exportUser],
  userParts: () => [exportPart],
  console: exportPage,
}
