// The post between the provider and us: it loses letters, delays them, brings them twice, in any order, and forgers use
// it too. What is not thanked for with 200 it brings again, three times in all, as the emulator's own webhook sender does.
import { createHmac } from 'node:crypto'
import type { Dice } from './random.js'
import { type FarSide, PROVIDER_KEY } from './emulator.js'
import type { Figures } from './figures.js'
import type { End } from './scheduler.js'

export interface Letter {
  readonly eventId: string
  readonly checkoutId: string
  readonly body: string
  readonly signature: string
  readonly isGenuine: boolean
  readonly dueAt: number
  readonly tries: number
}

const MOST_TRIES = 3
const MINUTE_MS = 60_000

export class Post {
  /** Events that we answered with 200, and the checkouts that they told of. */
  readonly acknowledged = new Set<string>()
  readonly acknowledgedCheckouts = new Set<string>()
  /** Events whose signature is wrong. */
  readonly forged = new Set<string>()
  #waiting: Letter[] = []
  /** All that was ever brought: signatures carry no time, so anybody may bring it again. */
  readonly #brought: Letter[] = []
  readonly #mood: 'lost' | 'lazy' | 'usual'

  constructor(
    private readonly far: FarSide,
    private readonly dice: Dice,
    private readonly figures: Figures,
  ) {
    // One seed in six lives without any webhook, one in six with hardly one in time.
    this.#mood = dice.weighed({ lost: 1, lazy: 1, usual: 4 })
  }

  /** Takes over what the provider has written since. */
  collect(now: number): void {
    for (const { event_id: eventId, checkout_id: checkoutId, body, signature } of this.far.newEvents()) {
      const isGenuine = signature === createHmac('sha256', PROVIDER_KEY).update(body).digest('hex')
      if (!isGenuine) this.forged.add(eventId)
      const fate = this.#fateOfLetter()
      this.figures.count(`post: ${fate}`)
      const copies = fate === 'lost' ? 0 : fate === 'doubled' ? this.dice.between(2, 3) : 1
      for (let copy = 0; copy < copies; copy++) {
        const dueAt = now + this.#delayMs(fate)
        const letter = { eventId, checkoutId, body, signature: signature ?? '', isGenuine, dueAt, tries: 0 }
        this.#waiting.push(letter)
      }
    }
  }

  /** Up to `most` letters that are due, in any order. */
  due(now: number, most: number): readonly Letter[] {
    const due = this.#waiting.filter((letter) => letter.dueAt <= now)
    const chosen: Letter[] = []
    while (due.length > 0 && chosen.length < most) {
      chosen.push(...due.splice(this.dice.between(0, due.length - 1), 1))
    }
    this.#waiting = this.#waiting.filter((letter) => !chosen.includes(letter))
    return chosen
  }

  /** One that was brought before, for the last time. */
  old(): Letter | undefined {
    return this.#brought.length === 0 ? undefined : { ...this.dice.pick(this.#brought), tries: MOST_TRIES }
  }

  /** Somebody who knows our address and not the key: an old letter with another id. */
  forge(): Letter | undefined {
    const original = this.old()
    if (!original) return undefined
    this.figures.count('faults: forged webhook')
    const eventId = `forged${this.forged.size}`
    this.forged.add(eventId)
    const body = original.body.replaceAll(original.eventId, eventId)
    const signature = this.dice.pick([original.signature, '', 'f'.repeat(64)])
    return { ...original, eventId, body, signature, isGenuine: false }
  }

  bring(letter: Letter): void {
    if (letter.isGenuine) this.#brought.push(letter)
  }

  answered(letter: Letter, end: End, now: number): void {
    if (end.kind === 'done') {
      this.acknowledged.add(letter.eventId)
      this.acknowledgedCheckouts.add(letter.checkoutId)
      return
    }
    const tries = letter.tries + 1
    // The defaults of the emulator's webhook sender: ten seconds, then a hundred.
    if (tries < MOST_TRIES) this.#waiting.push({ ...letter, tries, dueAt: now + 10 ** tries * 1000 })
  }

  #fateOfLetter(): 'lost' | 'late' | 'doubled' | 'prompt' {
    if (this.#mood === 'lost') return 'lost'
    if (this.#mood === 'lazy') return this.dice.weighed({ lost: 2, late: 6, doubled: 2 })
    return this.dice.weighed({ lost: 2, late: 2, doubled: 3, prompt: 5 })
  }

  #delayMs(fate: 'lost' | 'late' | 'doubled' | 'prompt'): number {
    if (fate === 'prompt' || (fate === 'doubled' && this.dice.chance(0.6))) return 0
    const longest = this.dice.pick([1, 10, 60, 6 * 60, 40 * 24 * 60])
    return this.dice.between(0, longest * MINUTE_MS)
  }
}
