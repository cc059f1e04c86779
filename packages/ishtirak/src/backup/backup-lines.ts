// Reads the lines of a backup and checks that it is complete.
import { createHash } from 'node:crypto'

/** The first line has the format, rows are `table<tab>json`, the last line has counts and a checksum. */
export const FORMAT = 2

export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused'
}

export interface BackupContents {
  readonly takenAt: string
  /** The newest migration of the database that was backed up. */
  readonly schema: number
  /** The number of rows by table; tables without rows are left out. */
  readonly rows: Readonly<Record<string, number>>
}

/** Passes each row to `take` and returns the contents. Throws `RestoreRefused` unless it is complete. */
export async function checkBackup(
  lines: AsyncIterable<string>,
  take: (table: string, row: string) => Promise<void> | void = () => undefined,
): Promise<BackupContents> {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  let header: Header | null = null
  let sha256: unknown
  for await (const line of lines) {
    const [table, row] = splitAtTab(line)
    if (table === 'end') {
      sha256 = parse(row).sha256
      continue
    }
    hash.update(`${line}\n`)
    if (header === null) header = parseHeader(line)
    else if (row === '') throw notWhole()
    else {
      rows[table] = (rows[table] ?? 0) + 1
      await take(table, row)
    }
  }
  if (!header || sha256 !== hash.digest('hex')) throw notWhole()
  return { ...header, rows }
}

type Header = Pick<BackupContents, 'schema' | 'takenAt'>

export async function readHeader(lines: AsyncIterable<string>): Promise<Header> {
  for await (const line of lines) return parseHeader(line)
  return parseHeader('')
}

function parseHeader(line: string): Header {
  if (!line.startsWith('{"ishtirak_backup"')) throw new RestoreRefused('the file is not a backup of ishtirak')
  const header = parse(line)
  if (header.ishtirak_backup !== FORMAT) {
    const format = `the backup has format ${header.ishtirak_backup}`
    throw new RestoreRefused(`${format}, and this program reads only ${FORMAT}`)
  }
  return { schema: Number(header.schema), takenAt: String(header.taken_at) }
}

function parse(line: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(line))
  } catch {
    throw notWhole()
  }
}

function notWhole(): RestoreRefused {
  return new RestoreRefused('the backup is incomplete or was changed: its counts or its checksum differ')
}

function splitAtTab(line: string): readonly [string, string] {
  const at = line.indexOf('\t')
  return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)]
}
