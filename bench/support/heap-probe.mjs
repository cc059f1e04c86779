// Loaded into the service before all else (`--import`): V8 writes a line for each collection from the first
// question on, and each question ends a slice with a line of another form, since V8 buffers what it writes.
// Young objects are collected twice at each question, because what survives two collections is promoted.
import { setFlagsFromString } from 'node:v8'

const collect = () => globalThis.gc({ type: 'minor' })

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
