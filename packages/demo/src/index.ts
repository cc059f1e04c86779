// The demo's exports: the route of the running sandbox, and the command that calls it.
export { demoCommand } from './command.js'
export { demoRoute } from './demo.route.js'
