// Loaded into the service before all else (`--import`): V8 writes a line for each collection between the two questions.
// Twice at each end, because what survives two collections of the young generation is promoted.
import { setFlagsFromString } from 'node:v8'

const collect = () => {
  globalThis.gc({ type: 'minor' })
  globalThis.gc({ type: 'minor' })
}
const trace = (no) => setFlagsFromString(`--${no}trace-gc-nvp`)

process.on('message', (question) => {
  if (question === 'begin') {
    collect()
    trace('')
  } else {
    collect()
    trace('no-')
  }
  process.send({})
})
// The listener alone does not keep the service from ending.
process.channel?.unref()
