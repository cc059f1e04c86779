// Writes a ZIP archive (PKWARE APPNOTE 6.3.3) without compression: pictures and PDFs do not get smaller.
import { crc32 } from 'node:zlib'

interface ZippedFile {
  /** The path in the archive, such as `proofs/1.png`. */
  readonly name: string
  readonly content: Uint8Array
}

/** Version 2.0, names in UTF-8, not compressed, and the first date that a ZIP knows: 1 January 1980. */
const STORED = [20, 0x0800, 0, 0, 0x0021]

/** Yields one file after the other, and then the directory. */
export async function* zipped(files: AsyncIterable<ZippedFile>): AsyncGenerator<Uint8Array> {
  const listed: Buffer[] = []
  let offset = 0
  for await (const { name, content } of files) {
    const named = Buffer.from(name)
    const about = Buffer.concat([
      ...[words(STORED), long(crc32(content)), long(content.length), long(content.length)],
      words([named.length, 0]),
    ])
    const head = Buffer.concat([long(0x04034b50), about, named])
    // The zeros are: no comment, disk 0 and no attributes.
    listed.push(
      Buffer.concat([long(0x02014b50), words([20]), about, words([0, 0, 0, 0, 0]), long(offset), named]),
    )
    offset += head.length + content.length
    yield head
    yield content
  }
  const list = Buffer.concat(listed)
  const counts = words([0, 0, listed.length, listed.length])
  yield Buffer.concat([list, long(0x06054b50), counts, long(list.length), long(offset), words([0])])
}

const words = (values: readonly number[]) => Buffer.concat(values.map((value) => bytesOf(value, 2)))
const long = (value: number) => bytesOf(value, 4)

/** Throws if the value has more bytes: an archive without ZIP64 ends at 4 GB and 65,535 files. */
function bytesOf(value: number, length: 2 | 4): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntLE(value, 0, length)
  return bytes
}
