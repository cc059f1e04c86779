// Loaded into the service before all else (`--import`): V8 writes a line for each collection from the first
// question on, and each question ends a slice with a line of another form, since V8 buffers what it writes.
// Young objects are collected twice at each question, because what survives two collections is promoted.
// Nothing is repeated by the clock: jobs took 50 kB a second, of which slower calls had more in each look.
import { setFlagsFromString } from 'node:v8'

const collect = () => globalThis.gc({ type: 'minor' })

const { setInterval, clearInterval } = globalThis
globalThis.setInterval = (...given) => {
  const interval = setInterval(...given)
  clearInterval(interval)
  return interval
}

process.on('message', () => {
  collect()
  collect()
  setFlagsFromString('--no-trace-gc-nvp')
  setFlagsFromString('--trace-gc')
  collect()
  setFlagsFromString('--no-trace-gc')
  setFlagsFromString('--trace-gc-nvp')
  process.send({})
})
// The listener alone does not keep the service from ending.
process.channel?.unref()
