// What backups bring to the service.
import type { Capability } from '../acts/capability.js'
import type { BackupDeps } from './backup.js'
import { addBackupCommands } from './cli-backup.js'
import { downloadBackup } from './download.js'

export const backup: Capability<BackupDeps> = {
  name: 'backup',
  readings: [downloadBackup],
  commands: addBackupCommands,
}
