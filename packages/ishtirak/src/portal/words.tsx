// A text of which a date, or an amount with its unit, stays whole.
import { escapeHtml, type PropsWithChildren } from '@kitajs/html'

/** Words joined by spaces that do not break. */
const JOINED = /(\S+(?:\u00a0\S+)+)/

/** They go to the next line together; where they are wider than a line they break between two words, and in none of them, nor in `2 000`. */
export function Words({ children }: PropsWithChildren<{ children: string }>) {
  const parts = children.split(JOINED)
  return (
    <>
      {parts.map((part, index) =>
        index % 2 === 1 && isClosed(part) ? (
          <span class="whole" safe>
            {part.replace(/\u00a0(?!\d{3}(?!\d))/g, ' ')}
          </span>
        ) : (
          escapeHtml(part)
        ),
      )}
    </>
  )
}

/** What is isolated in it ends in it. */
function isClosed(part: string): boolean {
  return part.replace(/[^\u2066-\u2068]/g, '').length === part.replace(/[^\u2069]/g, '').length
}
