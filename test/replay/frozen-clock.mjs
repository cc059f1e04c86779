// Loaded before a program of a replay (node --import): its time stands at FROZEN_AT, so that a page has the
// same instants whenever it is replayed. The sandbox's own clock moves on from there.
const at = Date.parse(process.env.FROZEN_AT ?? '')
if (Number.isNaN(at)) throw new Error('FROZEN_AT has no instant')
Date.now = () => at
