// Shows what a passing run covered.

export class SimulationFigures {
  readonly #counts = new Map<string, number>()

  count(what: string, by = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by)
  }

  add(other: Readonly<Record<string, number>>): void {
    for (const [what, by] of Object.entries(other)) this.count(what, by)
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1)))
  }

  /** One line for each group: the words before the first colon. */
  describe(): string {
    const groups = new Map<string, string[]>()
    for (const [what, count] of Object.entries(this.all())) {
      const [group = '', name = ''] = what.split(/: (.*)/s)
      groups.set(group, [...(groups.get(group) ?? []), name ? `${name} ${count}` : String(count)])
    }
    return [...groups].map(([group, parts]) => `${group}: ${parts.join(', ')}`).join('\n')
  }
}
