// A new, empty cluster in one file, made by the build: unpacking it takes a fifth of the time and a third of
// the memory of initdb. In it is what initdb writes, without the databases that nothing here copies from
// (`template0`, `template1`): no schema, no role but the superuser, no password. All have one system
// identifier, which only replication asks for.

import { hash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, brotliDecompress, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'
import { flushPath } from './flush.js'

/** Where the build puts it. The name has PGlite's version, since another one may not read its catalogue. */
export function readyMadePath(): string {
  const program = createRequire(import.meta.url).resolve('@electric-sql/pglite')
  const { version } = JSON.parse(readFileSync(join(dirname(program), '../package.json'), 'utf8'))
  return fileURLToPath(new URL(`cluster-${version}.packed`, import.meta.url))
}

/** Creates and flushes the cluster in an empty folder, except the folder's name. False: there is no file. */
export async function unpackReadyMade(folder: string, file = readyMadePath()): Promise<boolean> {
  if (!existsSync(file)) return false
  const { folders, files } = await readCluster(file)
  for (const name of folders) await mkdir(join(folder, name), { recursive: true })
  const waiting = files
    .map(
      ([name, contents]) =>
        () =>
          writeFlushed(join(folder, name), contents),
    )
    .values()
  const lane = async () => {
    for (const write of waiting) await write()
  }
  // All of them: after a failure nothing may go on writing where the next try begins.
  for (const outcome of await Promise.allSettled(Array.from({ length: LANES }, lane)))
    if (outcome.status === 'rejected') throw outcome.reason
  for (const name of ['', ...folders]) flushPath(join(folder, name))
  return true
}

/** The same as a tar file, for a database in memory. Undefined: there is no file to make it of. */
export async function readyMadeDump(file = readyMadePath()): Promise<Blob | undefined> {
  if (!existsSync(file)) return undefined
  const { folders, files } = await readCluster(file)
  const entries = [...folders.map((name) => [`${name}/`, Buffer.alloc(0)] as const), ...files]
  const parts = entries.flatMap(([name, contents]) => tarEntry(name, contents))
  return new Blob([Buffer.concat([...parts, Buffer.alloc(1024)])])
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

interface Cluster {
  readonly folders: readonly string[]
  readonly files: readonly (readonly [name: string, contents: Buffer])[]
}

async function readCluster(file: string): Promise<Cluster> {
  const whole = await promisify(brotliDecompress)(await readPacked(file))
  let position = LENGTH_BYTES + whole.readUInt32LE()
  const { folders, files }: Index = JSON.parse(whole.toString('utf8', LENGTH_BYTES, position))
  const contentsOf = (size: number) => {
    position += size
    return whole.subarray(position - size, position)
  }
  return { folders, files: files.map(([name, size]) => [name, contentsOf(size)]) }
}

/** For the build. */
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

/** The folder of a cluster that was shut down, as `unpackReadyMade` reads it. */
export function packCluster(folder: string): Buffer {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .map((entry) => ({ entry, name: join(entry.parentPath, entry.name).slice(folder.length + 1) }))
    .map(({ entry, name }) => ({ entry, name: name.replaceAll('\\', '/') }))
  const folders = entries.filter(({ entry }) => entry.isDirectory()).map(({ name }) => name)
  const contents = entries
    .filter(({ entry }) => entry.isFile())
    .map(({ name }) => ({ name, bytes: readFileSync(join(folder, name)) }))
  const files = contents.map(({ name, bytes }) => [name, bytes.length] as const)
  const index = Buffer.from(JSON.stringify({ folders, files } satisfies Index))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32LE(index.length)
  const packed = brotliCompressSync(Buffer.concat([length, index, ...contents.map(({ bytes }) => bytes)]), {
    params: {
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_QUALITY]: 5,
    },
  })
  return Buffer.concat([hash('sha256', packed, 'buffer'), packed])
}

/** Brotli has no checksum: a damaged file could unpack and start. Throws `ReadyMadeDamaged`. */
async function readPacked(file: string): Promise<Buffer> {
  const bytes = await readFile(file)
  const packed = bytes.subarray(DIGEST_BYTES)
  if (hash('sha256', packed, 'buffer').equals(bytes.subarray(0, DIGEST_BYTES))) return packed
  throw new ReadyMadeDamaged(`${file} is damaged: install Ishtirak again, or remove the file and build`)
}

/** What the build made is not what lies there. Nothing was created of it. */
class ReadyMadeDamaged extends Error {
  override readonly name = 'ReadyMadeDamaged'
}

/** Of SHA-256, before everything else. */
const DIGEST_BYTES = 32

/** Before the contents, all of it compressed: the length of the index, then the index as JSON. */
const LENGTH_BYTES = 4

interface Index {
  readonly folders: readonly string[]
  readonly files: readonly (readonly [name: string, size: number])[]
}

/** Flushes 400 files in half the time of one after the other. All at once need 400 descriptors. */
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
