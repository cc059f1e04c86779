// Does what is due, whether the clock reached it by itself or was moved. A moved clock stops at every due
// instant on the way, so that ten minutes in one step are the same as ten minutes.
import type { CheckoutService } from './checkout-service.js'
import type { EmulatorContext } from './context.js'
import type { WebhookSender } from './webhook-sender.js'

/** A shared clock may be moved from outside, so it is read at least this often. */
const POLL_MS = 1000

export class Scheduler {
  #timer: NodeJS.Timeout | undefined
  #isRunSoon = false
  #advancing: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(
    readonly context: EmulatorContext,
    readonly checkoutService: CheckoutService,
    readonly sender: WebhookSender,
  ) {}

  start(): void {
    this.checkoutService.onChange = () => this.#runSoon()
    this.sender.onChange = () => this.#runSoon()
    this.#runSoon()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async settled(): Promise<void> {
    this.checkoutService.endDue()
    await this.sender.settled()
  }

  /** Calls run one after the other: two calls of an hour each are two hours. */
  advance(seconds: number): Promise<void> {
    const advanced = this.#advancing.then(() => this.#advance(seconds))
    // Only the caller gets the failure, not the next call.
    this.#advancing = advanced.catch(() => undefined)
    return advanced
  }

  /** Resolves when the calls of `advance` made so far have ended. */
  async idle(): Promise<void> {
    await this.#advancing
  }

  async #advance(seconds: number): Promise<void> {
    const targetMs = this.context.clock.now() + seconds * 1000
    await this.settled()
    let dueAtMs = this.#nextDueAtMs()
    // Work that remains when the emulator closes stays due, hence the last condition.
    while (dueAtMs !== null && dueAtMs <= targetMs && !this.#isStopped) {
      this.#moveTo(dueAtMs)
      await this.settled()
      dueAtMs = this.#nextDueAtMs()
    }
    this.#moveTo(targetMs)
    await this.settled()
  }

  #moveTo(targetMs: number): void {
    const { clock, store } = this.context
    const aheadMs = targetMs - clock.now()
    if (aheadMs <= 0) return
    clock.advance(aheadMs)
    if (clock.offsetMs !== store.clockOffsetMs) store.commit([{ clock_offset_ms: clock.offsetMs }])
  }

  /** Null when nothing is due, now or later. */
  #nextDueAtMs(): number | null {
    const due = [this.checkoutService.nextDueAtMs(), this.sender.nextDueAtMs()].filter((at) => at !== null)
    return due.length === 0 ? null : Math.min(...due)
  }

  /** After the answer that is being written: the payer is redirected before the event is sent. */
  #runSoon(): void {
    if (this.#isRunSoon || this.#isStopped) return
    this.#isRunSoon = true
    setImmediate(() => this.#run())
  }

  #run(): void {
    this.#isRunSoon = false
    clearTimeout(this.#timer)
    if (this.#isStopped) return
    this.checkoutService.endDue()
    this.sender.sendDue()
    const dueAtMs = this.#nextDueAtMs()
    if (dueAtMs === null) return
    const waitMs = Math.max(dueAtMs - this.context.clock.now(), 1)
    // The listening socket keeps the process alive, not the timer.
    this.#timer = setTimeout(() => this.#run(), Math.min(waitMs, POLL_MS)).unref()
  }
}
