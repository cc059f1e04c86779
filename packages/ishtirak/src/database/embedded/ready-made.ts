// A new cluster with the schema, in one file, which the build makes (scripts/ready-made.mjs). Unpacking it
// takes a fifth of the time and a third of the memory of initdb, and saves 0.6 s of migrating. It has what
// initdb writes, without templates and passwords. All have one identifier, which only replication uses.

import { existsSync, readFileSync } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliDecompress } from 'node:zlib'
import { flushPath } from './flush.js'

/** The path of the build's file. It has PGlite's version, as another one may not read its catalogue. */
export function readyMadePath(): string {
  const program = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(readFileSync(join(dirname(program), '../package.json'), 'utf8'))
  return fileURLToPath(new URL(`cluster-${version}.tar.br`, import.meta.url))
}

/** Creates the cluster in an empty folder and flushes all but the folder's name. False: there is no file. */
export async function unpackReadyMade(folder: string, file = readyMadePath()): Promise<boolean> {
  if (!existsSync(file)) return false
  const entries = [...entriesOf(await readTar(file))]
  const folders = entries.flatMap(({ name }) => (name.endsWith('/') ? [name] : []))
  for (const name of folders) await mkdir(join(folder, name), { recursive: true })
  const waiting = entries.filter(({ name }) => !name.endsWith('/')).values()
  const lane = async () => {
    for (const { name, contents } of waiting) await writeFlushed(join(folder, name), contents)
  }
  // Waits for all: after a failure nothing may still be writing when the next attempt begins.
  for (const outcome of await Promise.allSettled(Array.from({ length: LANES }, lane)))
    if (outcome.status === 'rejected') throw outcome.reason
  for (const name of ['', ...folders]) flushPath(join(folder, name))
  return true
}

/** The cluster for a database in memory. Undefined: there is no file. */
export async function readyMadeDump(file = readyMadePath()): Promise<Blob | undefined> {
  return existsSync(file) ? new Blob([Buffer.concat([await readTar(file)])]) : undefined
}

/** The files of a tar that the build wrote, and its folders, whose names end with a slash. */
function* entriesOf(tar: Buffer) {
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString('utf8', at, tar.indexOf(0, at))
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8)
    yield { name, contents: tar.subarray(at + 512, at + 512 + size) }
    at += 512 + size + (-size & 511)
  }
}

async function readTar(file: string): Promise<Buffer> {
  return promisify(brotliDecompress)(await readFile(file))
}

/** 16 at once flush 400 files in half the time of one by one. All at once would need 400 descriptors. */
const LANES = 16

async function writeFlushed(path: string, contents: Uint8Array): Promise<void> {
  const file = await open(path, 'w')
  try {
    await file.writeFile(contents)
    await file.sync()
  } finally {
    await file.close()
  }
}
