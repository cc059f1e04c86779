// Ids and codes are other ones at each replay; the page keeps its own.

/** The first line of a block's command; what follows up to the next is its output. */
const PROMPT = '$ '
/** Leaves out a part of an output, or whole lines of it. */
const OMITTED = '…'
/** An id with or without its prefix, or a code. */
const DRAWN =
  '\\b(?:(?:[a-z]{3}_)?01[0-9a-hjkmnp-tv-z]{24}|[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){3})\\b'
const EACH_DRAWN = new RegExp(DRAWN, 'g')

export type Typed = { command: string; expected: string }

/** Where and when a page is typed: `<!-- replayed from INSTANT [with NAME=VALUE] -->`. */
export function settingOf(page: string): { readonly startAt: string; readonly env: Record<string, string> } {
  const [, startAt, name, value] = /<!-- replayed from (\S+?)(?: with ([A-Z_]+)=(\S+))? -->/.exec(page) ?? []
  if (!startAt) throw new Error('the page has console blocks and does not say from when they are replayed')
  return { startAt, env: name && value ? { [name]: value } : {} }
}

export const hasConsoleBlocks = (page: string) => /^```console$/m.test(page)

/** The page with fresh outputs. `type` runs a command and gives what it prints. */
export async function replay(page: string, type: (typed: Typed) => Promise<string>): Promise<string> {
  const drawn = new Drawn()
  const parts = page.split(/(?<=^```console\n)([\s\S]*?)(?=^```$)/m)
  for (const [index, block] of parts.entries()) {
    if (index % 2 === 0) continue
    let fresh = ''
    for (const { command, expected } of commandsOf(block)) {
      const output = await type({ command: drawn.typed(command), expected: drawn.typed(expected) })
      drawn.meet(expected, output)
      const shown = drawn.shown(output)
      fresh += `${PROMPT}${command}\n${isAsExpected(shown, expected) ? expected : shown}`
    }
    parts[index] = fresh
  }
  return parts.join('')
}

export function isAsExpected(output: string, expected: string): boolean {
  return patternOf(expected, literally).test(output)
}

const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function patternOf(expected: string, shown: (text: string) => string): RegExp {
  return new RegExp(`^${expected.split(OMITTED).map(shown).join('[\\s\\S]*?')}$`)
}

function commandsOf(block: string): readonly Typed[] {
  const [before = '', ...rest] = block.split(/^\$ /m)
  if (before !== '') throw new Error(`a console block begins with a command: ${before}`)
  return rest.map((text) => {
    // A line that ends with a backslash goes on.
    const [command = ''] = /^(?:.*\\\n)*.*/.exec(text) ?? []
    return { command, expected: text.slice(command.length + 1) }
  })
}

/** Which of this replay's ids and codes stand for which of the page. */
class Drawn {
  readonly #fresh = new Map<string, string>()

  /** Those that the page shows for the first time are met in the order of the output. */
  meet(expected: string, output: string): void {
    const ofPage = drawnIn(expected).filter((one) => !this.#fresh.has(one))
    const known = new Set(this.#fresh.values())
    const ofOutput = this.#inPlace(expected, output) ?? drawnIn(output).filter((one) => !known.has(one))
    for (const [index, one] of ofPage.entries()) {
      const fresh = ofOutput[index]
      if (fresh !== undefined) this.#fresh.set(one, fresh)
    }
  }

  /** Where the page leaves something out, the text around them says which they are. */
  #inPlace(expected: string, output: string): readonly string[] | undefined {
    const met = new Set<string>()
    const shown = (text: string) =>
      literally(text).replace(EACH_DRAWN, (one) => {
        const fresh = this.#fresh.get(one)
        if (fresh !== undefined) return fresh
        if (met.has(one)) return DRAWN
        met.add(one)
        return `(${DRAWN})`
      })
    return patternOf(expected, shown).exec(output)?.slice(1)
  }

  typed(text: string): string {
    return text.replace(EACH_DRAWN, (one) => this.#fresh.get(one) ?? one)
  }

  shown(output: string): string {
    const ofPage = new Map([...this.#fresh].map(([one, fresh]) => [fresh, one]))
    return output.replace(EACH_DRAWN, (one) => ofPage.get(one) ?? one)
  }
}

const drawnIn = (text: string) => [...new Set(text.match(EACH_DRAWN))]
