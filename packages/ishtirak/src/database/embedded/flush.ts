// Flushes files and folders, including their names, to the disk, so that they survive a power loss.
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Flushes a folder and everything in it, for a new database before it gets its final name. */
export function flushTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) flushTree(path)
    else if (entry.isFile()) flushPath(path)
  }
  flushPath(folder)
}

/** Flushes one file, or the names in one folder. */
export function flushPath(path: string): void {
  const isFolder = statSync(path).isDirectory()
  // Windows opens no folders, and flushes only what is open for writing.
  if (isFolder && process.platform === 'win32') return
  const descriptor = openSync(path, isFolder ? 'r' : 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Creates a folder and its missing parents, and flushes their names. */
export function makeFolder(path: string): void {
  // Not `recursive`: if the system cannot create folders (below /proc), Node tries for ever.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (dirname(path) !== path) makeFolder(dirname(path))
  mkdirSync(path)
  flushPath(dirname(path))
}
