// How much memory this process may use: of the machine, of its container, and of addresses. It refuses work that needs more,
// because the kernel ends such a process without a word.
import { readFileSync } from 'node:fs'
import os from 'node:os'

export interface MemoryLimits {
  /** Of the machine, or of the container if that is less. */
  readonly memoryMb: number
  /** As `ulimit -v` sets it; infinite where there is none. */
  readonly addressSpaceMb: number
}

/** The process would be killed in the middle. */
export class NotEnoughMemory extends Error {
  override readonly name = 'NotEnoughMemory'
}

const MB = 2 ** 20

export function memoryLimits(): MemoryLimits {
  // Without a limit Node gives 0, or a number that no machine has.
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY
  return { memoryMb: Math.floor(Math.min(os.totalmem(), container) / MB), addressSpaceMb: addressSpaceMb() }
}

/** Throws `NotEnoughMemory` with both figures. */
export function requireMemory(what: string, needed: MemoryLimits, limits: MemoryLimits): void {
  if (limits.memoryMb < needed.memoryMb) {
    throw new NotEnoughMemory(
      `${what} needs ${needed.memoryMb} MB of memory, the machine or container has ${limits.memoryMb} MB`,
    )
  }
  if (limits.addressSpaceMb < needed.addressSpaceMb) {
    throw new NotEnoughMemory(
      `${what} needs ${needed.addressSpaceMb} MB of address space (not memory), ulimit -v allows ${limits.addressSpaceMb} MB`,
    )
  }
}

function addressSpaceMb(): number {
  if (process.platform !== 'linux') return Number.POSITIVE_INFINITY
  const [, soft] = /^Max address space +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Math.floor(Number(soft) / MB)
}
