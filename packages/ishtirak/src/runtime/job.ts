// A job is a sweep over due rows. It may be late, run twice or be killed. It neither gives nor takes access.

/** Jobs of an earlier stage come first, on the health page and when the test clock runs them all. */
export const JOB_STAGES = ['find_out', 'announce', 'tidy'] as const

export interface Job {
  readonly name: string
  readonly stage: (typeof JOB_STAGES)[number]
  readonly everyMs: number
  /** Works through due rows up to a limit, while `goesOn()`. Returns how many it did. */
  run(goesOn: () => boolean): Promise<number>
  /** If a round leaves work running: waits for that work when no further round follows. */
  drain?(): Promise<void>
  /** The provider limits our calls: however many processes there are, only one runs a round. */
  readonly oncePerCluster?: true
}
