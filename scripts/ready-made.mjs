// Makes the cluster that the embedded database's first start unpacks (embedded/ready-made.ts): a new one that
// has the schema.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { PGlite } from '@electric-sql/pglite'

/** The bytes of the file. `service` is the one that was just built: it brings the schema up to date. */
export async function makeReadyMade({ openFolder, migrate }) {
  const folder = mkdtempSync(join(tmpdir(), 'ishtirak-cluster-'))
  const cluster = join(folder, 'postgres')
  try {
    const initialized = await PGlite.create(cluster)
    await initialized.exec('update pg_database set datistemplate = false')
    for (const name of ['template0', 'template1']) await initialized.exec(`drop database ${name}`)
    await initialized.close()
    const database = await openFolder(folder)
    await migrate(database)
    await database.close()
    return packCluster(cluster)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Packs the folder of a cluster that was shut down. */
export function packCluster(folder) {
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

/** Header and contents, each filled up to 512 bytes (POSIX ustar). A folder's name ends with a slash. */
function tarEntry(name, contents) {
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

/**
 * Two builds make the same cluster: the clock stands still and the random bytes are zero. The bytes are salts
 * of passwords, and the embedded database has no server to sign in to.
 */
export async function withoutChance(make) {
  const crypto = createRequire(import.meta.url)('node:crypto')
  const { now } = Date
  const { randomFillSync } = crypto
  Date.now = () => Date.UTC(2026, 0, 1)
  crypto.randomFillSync = (view) => view.fill(0)
  try {
    return await make()
  } finally {
    Date.now = now
    crypto.randomFillSync = randomFillSync
  }
}
