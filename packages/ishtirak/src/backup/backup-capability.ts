// What backups bring to the service.
import type { Capability } from '../acts/capability.js'
import { addBackupCommands } from './cli-backup.js'

export const backup: Capability<unknown> = {
  name: 'backup',
  commands: addBackupCommands,
}
