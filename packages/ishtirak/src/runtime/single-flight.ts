// Calls for the same key that arrive while one is under way share its outcome. It keeps nothing afterwards: no cache.

export function singleFlight<Value>(): (key: string, work: () => Promise<Value>) => Promise<Value> {
  const flights = new Map<string, Promise<Value>>()
  return (key, work) => {
    const flying = flights.get(key)
    if (flying) return flying
    const flight = work().finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }
}
