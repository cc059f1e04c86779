// Backups as a capability: the commands, and the backup that a running service sends.
import type { Capability } from '../acts/capability.js'
import { GZIP } from '../acts/descriptions.js'
import { reading } from '../acts/reading.js'
import { sendFile } from '../acts/send-file.js'
import { type BackupDeps, backUp } from './backup.js'
import { addBackupCommands } from './cli-backup.js'

const downloadBackup = reading<BackupDeps>().reads({
  name: 'database.backup',
  roles: [],
  path: '/backup',
  operationId: 'downloadBackup',
  summary: 'Everything in the database, as a file for `ishtirak restore`',
  answer: GZIP,
  // The command also works on a database without a running service.
  command: null,
  read: async (deps, { operator, reply }) => {
    const content = await backUp(deps, { operator })
    return sendFile(reply, { type: 'application/gzip', name: 'ishtirak.backup.gz', content })
  },
})

export const backup: Capability<BackupDeps> = {
  name: 'backup',
  readings: [downloadBackup],
  commands: addBackupCommands,
}
