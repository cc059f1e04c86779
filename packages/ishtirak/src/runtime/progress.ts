// How far something is that takes longer than a second, on stderr: on a terminal one line that is written
// again, with the rate and the time left; in a file a line every ten seconds.
import spinner from 'yocto-spinner'

const SHORT_MS = 1_000
const DRAWN_EVERY_MS = 200
const LINE_EVERY_MS = 10_000

export interface Progress {
  /** `of`: of how many, where that is known. */
  at(done: number, of?: number): void
  end(): void
}

/** Where it is written; by default stderr. */
export type Screen = NodeJS.WriteStream

/** `unit`: what is counted, in the plural, such as `rows`; `MB` counts bytes. */
export function showProgress(unit: string, screen: Screen = process.stderr): Progress {
  const startedAt = performance.now()
  let [done, all]: [number, number | undefined] = [0, undefined]
  const text = () => progressInWords({ unit, done, all, ms: performance.now() - startedAt })
  const stop = isTerminal(screen) ? draw(screen, text) : print(screen, text)
  return {
    at: (now, of) => {
      done = now
      all = of
    },
    end: stop,
  }
}

/** Shows it while `work` runs. */
export async function withProgress<Result>(
  unit: string,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const progress = showProgress(unit)
  try {
    return await work(progress)
  } finally {
    progress.end()
  }
}

/** As the library sees it: elsewhere it would write each text as a line, with colours. */
function isTerminal(screen: Screen): boolean {
  return screen.isTTY === true && process.env.TERM !== 'dumb' && !('CI' in process.env)
}

function draw(screen: Screen, text: () => string): () => void {
  const line = spinner({ stream: screen })
  const start = setTimeout(() => line.start(text()), SHORT_MS)
  const again = setInterval(() => {
    if (line.isSpinning) line.text = text()
  }, DRAWN_EVERY_MS)
  return () => {
    clearTimeout(start)
    clearInterval(again)
    line.stop()
  }
}

function print(screen: Screen, text: () => string): () => void {
  const again = setInterval(() => screen.write(`${text()}\n`), LINE_EVERY_MS)
  // What it tells of keeps the process alive, not the telling.
  again.unref()
  return () => clearInterval(again)
}

interface Step {
  readonly unit: string
  readonly done: number
  readonly all: number | undefined
  readonly ms: number
}

/** `1,200 of 4,800 rows (25 %), 600 a second, 6 s left` */
export function progressInWords({ unit, done, all, ms }: Step): string {
  const scale = unit === 'MB' ? 1_000_000 : 1
  const rate = done / scale / (ms / 1_000)
  if (done === 0) return all === undefined ? `no ${unit} yet` : `0 of ${count(all / scale)} ${unit}`
  const far = count(done / scale)
  const speed = rate < 1 ? `${count(1 / rate)} s each` : `${count(rate)} a second`
  if (all === undefined) return `${far} ${unit}, ${speed}`
  const part = Math.floor((100 * Math.min(done, all)) / all)
  const left = Math.max(0, all - done) / scale / rate
  return `${far} of ${count(all / scale)} ${unit} (${part} %), ${speed}, ${duration(left)} left`
}

/** Below 10 with one decimal. */
function count(value: number): string {
  const digits = value < 10 && !Number.isInteger(value) ? 1 : 0
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}

function duration(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`
  if (seconds < 6_000) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}
