// The demo as the service finds it: what the running sandbox answers to, and the command that asks it.
export { demoCommand } from './command.js'
export { demoRoute } from './demo.route.js'
