// Loaded into the service before all else (`--import`). From the first message on V8 writes a line for each
// collection. Each message ends a slice with a line of another form, because V8 buffers what it writes. Young
// objects are collected twice at each message, because what survives two collections is promoted.
// Intervals are stopped: the jobs took 50 kB a second, of which slower calls had more.
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
