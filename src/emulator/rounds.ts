// Lets time act: whatever is due is done, whether the clock ran there by itself or was moved. A moved clock stops at
// every due instant on its way, so that ten minutes in one step are the same as ten minutes.
import type { Cashier } from './cashier.js'
import type { Courier } from './courier.js'
import type { Desk } from './desk.js'

/** Somebody else may move a shared clock without telling us; we look again this often. */
const LOOK_AGAIN_MS = 1000

export class Rounds {
  #timer: NodeJS.Timeout | null = null
  #ended = false

  constructor(
    readonly desk: Desk,
    readonly cashier: Cashier,
    readonly courier: Courier,
  ) {}

  begin(): void {
    this.courier.onOwing = () => this.#wake(0)
    this.#wake(0)
  }

  end(): void {
    this.#ended = true
    if (this.#timer) clearTimeout(this.#timer)
  }

  async settled(): Promise<void> {
    this.cashier.endDue()
    await this.courier.settled()
  }

  async advance(seconds: number): Promise<void> {
    const targetMs = this.desk.clock.now() + seconds * 1000
    await this.settled()
    for (
      let dueAtMs = this.#nextDueAtMs();
      dueAtMs !== null && dueAtMs <= targetMs;
      dueAtMs = this.#nextDueAtMs()
    ) {
      this.#moveTo(dueAtMs)
      await this.settled()
    }
    this.#moveTo(targetMs)
    await this.settled()
  }

  #moveTo(targetMs: number): void {
    const aheadMs = targetMs - this.desk.clock.now()
    if (aheadMs <= 0) return
    this.desk.clock.advance(aheadMs)
    this.desk.ledger.commit([{ clock_offset_ms: this.desk.clock.offsetMs }])
  }

  /** Null when nothing waits for time. */
  #nextDueAtMs(): number | null {
    const dues = [this.cashier.nextDueAtMs(), this.courier.nextDueAtMs()].filter((due) => due !== null)
    return dues.length === 0 ? null : Math.min(...dues)
  }

  #look(): void {
    this.cashier.endDue()
    this.courier.sendDue()
    const dueAtMs = this.#nextDueAtMs()
    this.#timer = null
    if (dueAtMs !== null) this.#wake(Math.min(Math.max(dueAtMs - this.desk.clock.now(), 1), LOOK_AGAIN_MS))
  }

  #wake(inMs: number): void {
    if (this.#ended) return
    if (this.#timer) clearTimeout(this.#timer)
    // The listening socket keeps the process alive, not the waiting.
    this.#timer = setTimeout(() => this.#look(), inMs).unref()
  }
}
