// How much garbage may lie about. On a machine with much memory V8 lets the heap grow to three times what is alive before it
// looks: a service of 50 MB holds 180. A platform pays for memory by the month, and the looks cost it next to nothing.
import { setFlagsFromString } from 'node:v8'

/** In per cent of what is alive. V8 reads it after each collection, so it may be set while it runs. */
const GROWTH_PERCENT = 50

/** For this process, from now on. */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`)
}
