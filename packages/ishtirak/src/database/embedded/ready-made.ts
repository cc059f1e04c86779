// A new, empty cluster in one file, which the build makes. Unpacking it takes a fifth of the time and a third
// of the memory of initdb. It has what initdb writes, without templates and passwords. All have one system
// identifier, which only replication uses.

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompress, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
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

/** The files of a tar that `packCluster` wrote, and its folders, whose names end with a slash. */
function* entriesOf(tar: Buffer) {
  for (let at = 0; tar[at] !== 0; ) {
    const name = tar.toString('utf8', at, tar.indexOf(0, at))
    const size = Number.parseInt(tar.toString('latin1', at + 124, at + 135), 8)
    yield { name, contents: tar.subarray(at + 512, at + 512 + size) }
    at += 512 + size + (-size & 511)
  }
}

/** Header and contents, each filled up to 512 bytes (POSIX ustar). A folder's name ends with a slash. */
function tarEntry(name: string, contents: Buffer): Buffer[] {
  const header = Buffer.alloc(512)
  const isFolder = name.endsWith('/')
  header.write(name)
  header.write(isFolder ? '0000700\0' : '0000600\0', 100)
  header.write(`${contents.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write(`${'0'.repeat(11)}\0`, 136)
  // The checksum counts itself as eight spaces.
  header.write(' '.repeat(8), 148)
  header.write(isFolder ? '5' : '0', 156)
  header.write('ustar\0' + '00', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return [header, contents, Buffer.alloc(-contents.length & 511)]
}

/** The build calls this. */
export async function makeReadyMade(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ishtirak-cluster-'))
  try {
    const database = await PGlite.create(folder)
    await database.exec('update pg_database set datistemplate = false')
    for (const name of ['template0', 'template1']) await database.exec(`drop database ${name}`)
    await database.close()
    writeFileSync(readyMadePath(), packCluster(folder))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packs the folder of a cluster that was shut down, for `unpackReadyMade`. */
export function packCluster(folder: string): Buffer {
  const tar = readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path).replaceAll('\\', '/')
    return entry.isDirectory() ? tarEntry(`${name}/`, Buffer.alloc(0)) : tarEntry(name, readFileSync(path))
  })
  return brotliCompressSync(Buffer.concat([...tar, Buffer.alloc(1024)]), {
    // Brotli makes 1.6 MB of it, gzip 2.5 MB.
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_QUALITY]: 5,
    },
  })
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
