// Shows the progress of work that takes longer than a second, on stderr: on a terminal as one line that is
// rewritten, in a file as a line every ten seconds.
export interface Progress {
  /** `of` is the total, if it is known. */
  at(done: number, of?: number): void
}

/** Shows it while `work` runs. `unit` is the plural of the counted thing: `rows`. */
export async function withProgress<Result>(
  unit: string,
  work: (progress: Progress) => Promise<Result>,
  screen: NodeJS.WriteStream = process.stderr,
): Promise<Result> {
  const startedAt = performance.now()
  let [done, all]: [number, number | undefined] = [0, undefined]
  const isDrawn = screen.isTTY === true && process.env.TERM !== 'dumb' && !('CI' in process.env)
  const write = () => {
    const text = progressInWords(unit, done, all, performance.now() - startedAt)
    screen.write(isDrawn ? `\r${text}\x1b[K` : `${text}\n`)
  }
  // The work keeps the process alive; the timer does not.
  const timer = setInterval(write, isDrawn ? 1_000 : 10_000).unref()
  try {
    return await work({
      at: (now, of) => {
        done = now
        all = of
      },
    })
  } finally {
    clearInterval(timer)
    if (isDrawn) screen.write('\r\x1b[K')
  }
}

/** `1,200 of 4,800 rows (25 %), 6 s left` */
function progressInWords(unit: string, done: number, all: number | undefined, ms: number): string {
  const count = (value: number) => value.toLocaleString('en')
  if (all === undefined) return `${count(done)} ${unit}`
  const part = Math.floor((100 * Math.min(done, all)) / Math.max(1, all))
  const seconds = Math.ceil((ms / 1_000 / done) * Math.max(0, all - done))
  const left = seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
  return `${count(done)} of ${count(all)} ${unit} (${part} %)${done === 0 ? '' : `, ${left} left`}`
}
