// A real process that a test started: what it prints is read line by line, and it can be killed.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

export class Child {
  readonly lines: string[] = []
  readonly #ended: Promise<unknown>

  constructor(private readonly process: ChildProcess) {
    this.#ended = once(process, 'close')
    let rest = ''
    process.stdout?.on('data', (chunk: Buffer) => {
      const parts = `${rest}${chunk}`.split('\n')
      rest = parts.pop() ?? ''
      this.lines.push(...parts)
    })
  }

  get id(): number {
    return this.process.pid ?? 0
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL')
    await this.#ended
  }

  async ended(): Promise<void> {
    await this.#ended
  }
}
