// The state file: one JSON line for each atomic set of changes, appended and flushed before the change is
// visible. A kill can only tear the last line, which is then ignored. A file of another program is refused:
// compacting would destroy it.
import { closeSync, fdatasyncSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { EmulatorError } from './errors.js'

const FORMAT_LINE = '{"format":"chargily-emulator/1"}'

export class Journal {
  #file: number | null = null

  constructor(readonly path: string) {}

  /** Oldest first; none when the file does not exist. */
  read(): string[] {
    const text = readIfThere(this.path)
    if (text === '') return []
    // What follows the last line feed is empty, or torn by a kill.
    const [format, ...lines] = text.split('\n').slice(0, -1)
    if (format === undefined && FORMAT_LINE.startsWith(text)) return []
    if (format !== FORMAT_LINE) throw new EmulatorError(`${this.path} is not a state file of the emulator`)
    return lines
  }

  /**
   * Replaces the file by these lines and opens it for appending. A kill leaves the old file or the new one.
   */
  rewrite(lines: readonly string[]): void {
    const fresh = `${this.path}.new`
    const file = openSync(fresh, 'w', 0o600)
    writeAll(file, [FORMAT_LINE, ...lines].map((line) => `${line}\n`).join(''))
    fsyncSync(file)
    closeSync(file)
    renameSync(fresh, this.path)
    flushFolder(dirname(this.path))
    this.close()
    this.#file = openSync(this.path, 'a', 0o600)
  }

  /** Returns when the line is on the disk, or (not durable) with the operating system. */
  append(line: string, durable: boolean): void {
    if (this.#file === null) return
    writeAll(this.#file, `${line}\n`)
    if (durable) fdatasyncSync(this.#file)
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** `writeSync` may write less than it was given. */
function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

/** The rename itself must survive a power loss; Windows cannot open folders and needs no flush. */
function flushFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
