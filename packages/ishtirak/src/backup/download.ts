// The backup that a running service sends.
import { GZIP } from '../acts/operation.js'
import { reading } from '../acts/reading.js'
import { sendFile } from '../acts/send-file.js'
import { type BackupDeps, backUp } from './backup.js'

export const downloadBackup = reading<BackupDeps>().reads({
  name: 'database.backup',
  roles: [],
  path: '/backup',
  operationId: 'downloadBackup',
  summary: 'Everything in the database, as a file for `ishtirak restore`',
  answer: GZIP,
  // It asks a database that no service holds, too.
  command: null,
  read: async (deps, { operator, reply }) => {
    const content = await backUp(deps, { operator })
    return sendFile(reply, { type: 'application/gzip', name: 'ishtirak.backup.gz', content })
  },
})
