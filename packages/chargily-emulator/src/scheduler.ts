// Lets time act: whatever is due is done, whether the clock ran there by itself or was moved. A moved clock stops at
// every due instant on its way, so that ten minutes in one step are the same as ten minutes.
import type { CheckoutService } from './checkout-service.js'
import type { EmulatorContext } from './context.js'
import type { WebhookSender } from './webhook-sender.js'

/** Somebody else may move a shared clock without telling us; we look again this often. */
const LOOK_AGAIN_MS = 1000

export class Scheduler {
  #timer: NodeJS.Timeout | undefined
  #isLookingSoon = false
  #advancing: Promise<void> = Promise.resolve()
  #ended = false

  constructor(
    readonly desk: EmulatorContext,
    readonly checkoutService: CheckoutService,
    readonly sender: WebhookSender,
  ) {}

  begin(): void {
    this.checkoutService.onChange = () => this.#lookSoon()
    this.sender.onChange = () => this.#lookSoon()
    this.#lookSoon()
  }

  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  /** Resolves when the calls of `advance` made so far have ended. */
  async idle(): Promise<void> {
    await this.#advancing
  }

  async settled(): Promise<void> {
    this.checkoutService.endDue()
    await this.sender.settled()
  }

  /** One after the other: two calls of an hour each are two hours. */
  advance(seconds: number): Promise<void> {
    const moved = this.#advancing.then(() => this.#advance(seconds))
    // A failure is told to the one who asked, not to the next in the queue.
    this.#advancing = moved.catch(() => undefined)
    return moved
  }

  async #advance(seconds: number): Promise<void> {
    const targetMs = this.desk.clock.now() + seconds * 1000
    await this.settled()
    let dueAtMs = this.#nextDueAtMs()
    // What is owed when the emulator closes stays due for ever, hence the last condition.
    while (dueAtMs !== null && dueAtMs <= targetMs && !this.#ended) {
      this.#moveTo(dueAtMs)
      await this.settled()
      dueAtMs = this.#nextDueAtMs()
    }
    this.#moveTo(targetMs)
    await this.settled()
  }

  #moveTo(targetMs: number): void {
    const aheadMs = targetMs - this.desk.clock.now()
    if (aheadMs <= 0) return
    this.desk.clock.advance(aheadMs)
    const { offsetMs } = this.desk.clock
    if (offsetMs !== this.desk.store.clockOffsetMs) this.desk.store.commit([{ clock_offset_ms: offsetMs }])
  }

  /** Null when nothing waits for time. */
  #nextDueAtMs(): number | null {
    const dues = [this.checkoutService.nextDueAtMs(), this.sender.nextDueAtMs()].filter((due) => due !== null)
    return dues.length === 0 ? null : Math.min(...dues)
  }

  /** After the answer that is being written: the payer is on his way back when the merchant hears. */
  #lookSoon(): void {
    if (this.#isLookingSoon || this.#ended) return
    this.#isLookingSoon = true
    setImmediate(() => this.#look())
  }

  #look(): void {
    this.#isLookingSoon = false
    clearTimeout(this.#timer)
    if (this.#ended) return
    this.checkoutService.endDue()
    this.sender.sendDue()
    const dueAtMs = this.#nextDueAtMs()
    if (dueAtMs === null) return
    const waitMs = Math.max(dueAtMs - this.desk.clock.now(), 1)
    // The listening socket keeps the process alive, not the waiting.
    this.#timer = setTimeout(() => this.#look(), Math.min(waitMs, LOOK_AGAIN_MS)).unref()
  }
}
