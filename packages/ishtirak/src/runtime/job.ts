// Something that runs by itself: a sweep over rows that are due. It may be late, run twice or be killed at
// any line, and gives or takes no access.

/** Jobs of an earlier stage come first, on the health page and where the test clock runs them all. */
export const JOB_STAGES = ['find_out', 'announce', 'tidy'] as const

export interface Job {
  readonly name: string
  readonly stage: (typeof JOB_STAGES)[number]
  readonly everyMs: number
  /** Works through what is due, bounded, as long as it `goesOn`; gives how much it did. */
  run(goesOn: () => boolean): Promise<number>
  /** Where a round leaves work running: waits for it, when no further round comes. */
  drain?(): Promise<void>
  /** The provider bounds our calls: however many processes there are, one of them runs the round. */
  readonly oncePerCluster?: true
}
