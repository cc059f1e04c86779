// A new file that a command writes, which only its owner may read.
import { open, rm } from 'node:fs/promises'
import { CommandFailed, type DownloadedFile } from './operator-client.js'

/**
 * Creates the file before it calls `read`, because each reading is recorded in the audit trail. Returns a
 * sentence about what was written.
 */
export async function intoNewFile(name: string, read: () => Promise<DownloadedFile>): Promise<string> {
  const file = await open(name, 'wx', 0o600).catch(failWithReason)
  try {
    const { type, content } = await read()
    await file.writeFile(content)
    return `${name}: ${type}, ${content.length} bytes\n`
  } catch (error) {
    await rm(name)
    throw error
  } finally {
    await file.close()
  }
}

function failWithReason(error: NodeJS.ErrnoException): never {
  throw new CommandFailed(
    error.code === 'EEXIST' ? `the file exists: ${error.path}; name another one` : error.message,
  )
}
